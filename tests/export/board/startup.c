/* What a Cortex-M7 does after reset: the coprocessors of floating point on, then the C library's own start. */
extern int stack_top;
void _start(void);
void reset(void);

void reset(void)
{
    *(volatile unsigned *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\n isb");
    _start();
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {&stack_top, (void *)reset};
