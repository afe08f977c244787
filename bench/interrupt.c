#include "interrupt.h"

volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
	interrupted = number;
}

void interrupt_catch(void)
{
	struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup's stays */
		sigaction(SIGHUP, &action, NULL);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}
