import torch
from transformers import AutoModelForCausalLM
from unsloth import FastLanguageModel

ATTENTION = "flash_attention_2"

teacher = AutoModelForCausalLM.from_pretrained("org/teacher-8b", attn_implementation=ATTENTION, dtype=torch.bfloat16)
student, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B-Instruct", attn_implementation="sdpa")
