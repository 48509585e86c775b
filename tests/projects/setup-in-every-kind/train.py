from kernels import get_kernel

attention = get_kernel("kernels-community/flash-attn3")
