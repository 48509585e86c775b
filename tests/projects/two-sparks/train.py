from transformers import Trainer

Trainer().train()
