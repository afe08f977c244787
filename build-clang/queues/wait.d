build-clang/queues/wait.o: queues/wait.c queues/wait.h queues/queue.h \
  queues/atomic.h

queues/wait.h:

queues/queue.h:

queues/atomic.h:
