from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("org/base-8b", attn_implementation="flash_attention_2")
