from transformers import AutoModel
from transformers.utils import is_flash_attn_2_available

attention = "flash_attention_2" if is_flash_attn_2_available() else "sdpa"
model = AutoModel.from_pretrained("org/base-8b", attn_implementation=attention)

if is_flash_attn_2_available():
    model.config._attn_implementation = "flash_attention_2"
