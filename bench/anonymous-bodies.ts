import { fork } from 'node:child_process'
import { answerParent, apart } from './apart.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { PASSWORD, startService } from './service.ts'

/** Callers without a token at a time, and the unknown fields in the body of each: about 1 MB. */
const CALLERS = 15
const FIELDS = 80_000

async function send(address: string, body: string): Promise<number> {
  const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.arrayBuffer()
  return response.status
}

/** A question to the callers: an address to which all of them send now, or whether they are over. */
type Question = { readonly sendTo: string } | 'over'

/** Answers `over` with the statuses of the bodies, and an address as soon as all are on their way. */
function callersWith(hostile: string): (question: Question) => Promise<number[]> {
  let statuses: Promise<number>[] = []
  return (question) => {
    if (question !== 'over') {
      statuses = Array.from({ length: CALLERS }, () => send(question.sendTo, hostile))
      return Promise.resolve([])
    }
    const all = Promise.all(statuses)
    statuses = []
    return all
  }
}

/**
 * A log-in over HTTP while other clients send bodies of 1 MB without a token, against the same log-in without them: at
 * most twice as long. The other clients run in a separate process, so that their cost does not count.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  const callers = apart(fork(import.meta.filename, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))
  try {
    const address = `${service.deployment.baseUrl}/api/v1/auth/tokens`
    const logIn = async (): Promise<void> => {
      const status = await send(address, JSON.stringify({ name: 'admin', password: PASSWORD }))
      if (status !== 200) throw new Error(`The log-in was answered with ${status}`)
    }
    const over = async (): Promise<void> => {
      const refused = (await callers.ask('over')) as number[]
      if (!refused.every((status) => status === 413)) throw new Error(`Bodies were answered with ${refused.join(', ')}`)
    }
    const outcome = await compare({
      ours: {
        prepare: async () => {
          await over()
          await callers.ask({ sendTo: address })
        },
        run: logIn,
      },
      bare: { prepare: over, run: logIn },
      rounds: 15,
      turns: 2,
      calls: 1,
    })
    await over()
    const name = 'log-in beside 15 bodies of 1 MB without a token / alone'
    return [{ name, measured: outcome.ratio, promise: { atMost: 2 }, note: versus(outcome) }]
  } finally {
    await callers.stop()
    await service.stop()
  }
}

if (import.meta.main) {
  const answer = callersWith(
    JSON.stringify(Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`x${at}`, at]))),
  )
  answerParent(async (question) => answer(question as Question))
}
