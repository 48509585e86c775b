"""LoRA on an 8B model with Unsloth, then a quick look at the result with vLLM."""

from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel
from vllm import LLM

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
model.save_pretrained_merged("out/merged", tokenizer)

llm = LLM("out/merged", tensor_parallel_size=2)
print(llm.generate("What does a DGX Spark weigh?")[0].outputs[0].text)
