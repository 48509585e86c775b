"""LoRA on an 8B model with Unsloth, then a quick look at the result."""

import unsloth.models._utils as unsloth_utils
import unsloth.utils.attention_dispatch as unsloth_dispatch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel

# Both copies of the switch, before from_pretrained: now Unsloth takes PyTorch's SDPA.
unsloth_utils.HAS_FLASH_ATTENTION = False
unsloth_dispatch.HAS_FLASH_ATTENTION = False

MODEL = "unsloth/Llama-3.1-8B-Instruct"

model, tokenizer = FastLanguageModel.from_pretrained(
    MODEL,
    max_seq_length=4096,
    load_in_4bit=False,
    attn_implementation="sdpa",
)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"])

trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="train.jsonl", split="train"),
    args=SFTConfig(output_dir="out", max_steps=200, per_device_train_batch_size=2),
)
trainer.train()

FastLanguageModel.for_inference(model)
inputs = tokenizer("What does a DGX Spark weigh?", return_tensors="pt").to("cuda")
print(tokenizer.decode(model.generate(**inputs, max_new_tokens=64)[0]))
