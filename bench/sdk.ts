import { createKeymgr } from '../clients/sdk/client.ts'
import { logIn } from '../clients/sdk/log-in.ts'
import { byPassword } from '../clients/sdk/ways.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { PASSWORD, startService } from './service.ts'

const KEYS = 100
const QUERY = { limit: KEYS }

/**
 * A page of 100 keys over HTTP: with the client library including a log-in, and with a bare `fetch` and the same token.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const baseUrl = `${service.deployment.baseUrl}/api`
    const { token } = logIn(byPassword({ name: service.deployment.administrator, password: PASSWORD }), { baseUrl })
    const keymgr = createKeymgr({ baseUrl, token })
    for (let at = 0; at < KEYS; at++)
      await keymgr.post('/v1/vault/keys2', { body: { name: `key-${at}`, algorithm: 'aes' } })
    const assertWhole = ({ resources }: { readonly resources: readonly unknown[] }): void => {
      if (resources.length !== KEYS) throw new Error(`A page of ${resources.length} keys`)
    }
    const ours = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at++) assertWhole(await keymgr.get('/v1/vault/keys2', { query: QUERY }))
    }
    const bare = async (times: number): Promise<void> => {
      const headers = { authorization: `Bearer ${await token()}` }
      for (let at = 0; at < times; at++) {
        const response = await fetch(`${baseUrl}/v1/vault/keys2?limit=${KEYS}`, { headers })
        assertWhole((await response.json()) as { resources: unknown[] })
      }
    }
    const outcome = await compare({ ours: { run: ours }, bare: { run: bare }, rounds: 25, turns: 4, calls: 10 })
    return [
      {
        name: 'list 100: by the client library / bare fetch',
        measured: outcome.ratio,
        promise: { atMost: 1.2 },
        note: versus(outcome),
      },
    ]
  } finally {
    await service.stop()
  }
}
