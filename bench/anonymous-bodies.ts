import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { PASSWORD, startService } from './service.ts'

/** Callers without a token at a time, and the unknown fields in the body of each: about 1 MB. */
const CALLERS = 15
const FIELDS = 80_000

/**
 * A log-in over HTTP while others send bodies of 1 MB without a token, against the same log-in alone: at most twice as long.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const address = `${service.deployment.baseUrl}/api/v1/auth/tokens`
    const hostile = JSON.stringify(Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`x${at}`, at])))
    const send = async (body: string): Promise<number> => {
      const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      await response.arrayBuffer()
      return response.status
    }
    const logIn = async (): Promise<void> => {
      const status = await send(JSON.stringify({ name: 'admin', password: PASSWORD }))
      if (status !== 200) throw new Error(`The log-in was answered with ${status}`)
    }
    let others: Promise<number>[] = []
    const over = async (): Promise<void> => {
      const refused = await Promise.all(others)
      if (!refused.every((status) => status === 413)) throw new Error(`Bodies were answered with ${refused.join(', ')}`)
      others = []
    }
    const outcome = await compare({
      ours: {
        prepare: over,
        run: async (times) => {
          for (let at = 0; at < times; at++) {
            await over()
            others = Array.from({ length: CALLERS }, () => send(hostile))
            await logIn()
          }
        },
      },
      bare: {
        prepare: over,
        run: async (times) => {
          for (let at = 0; at < times; at++) await logIn()
        },
      },
      rounds: 15,
      turns: 2,
      calls: 1,
    })
    await over()
    const name = 'log-in beside 15 bodies of 1 MB without a token / alone'
    return [{ name, measured: outcome.ratio, promise: { atMost: 2 }, note: versus(outcome) }]
  } finally {
    await service.stop()
  }
}
