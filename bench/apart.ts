import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A separate process, so that its work uses neither time nor memory of this one. */
export interface Apart {
  /** The child's answer. @throws Error with the child's message */
  readonly ask: (question: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Messages between the two processes. */
export interface Question {
  readonly id: number
  readonly question: unknown
}
export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly failure: string })

/** @param child answers every message, as `answerParent` does, and exits with its parent */
export function apart(child: ChildProcess): Apart {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  const ended = once(child, 'exit').then(([code]: unknown[]) => {
    for (const { reject } of open.values()) reject(new Error(`A process beside the bench ended with ${String(code)}`))
  })
  child.on('message', (message) => {
    const reply = message as Reply
    const waiting = open.get(reply.id)
    open.delete(reply.id)
    if ('failure' in reply) waiting?.reject(new Error(reply.failure))
    else waiting?.resolve(reply.answer)
  })
  return {
    ask: (question) => {
      const waiting = Promise.withResolvers<unknown>()
      open.set(asked, waiting)
      child.send({ id: asked++, question } satisfies Question)
      return waiting.promise
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other side, for a forked process. */
export function answerParent(answer: (question: unknown) => Promise<unknown>): void {
  const reply = (told: Reply) => process.send?.(told)
  process.on('message', (message) => {
    const { id, question } = message as Question
    answer(question).then(
      (given) => reply({ id, answer: given }),
      (error: unknown) =>
        reply({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.once('disconnect', () => process.exit())
}
