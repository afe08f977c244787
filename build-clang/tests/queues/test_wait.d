build-clang/tests/queues/test_wait.o: queues/tests/test_wait.c \
  queues/wait.h queues/queue.h queues/atomic.h

queues/wait.h:

queues/queue.h:

queues/atomic.h:
