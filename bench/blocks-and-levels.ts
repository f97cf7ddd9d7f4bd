import { randomBytes } from 'node:crypto'
import { startDeployment } from '../infra/local/deployment.ts'
import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import { XKS_ACCESS_LOG } from '../shared/clouds/cloud-a/key-stores/proxy/access-log.ts'
import { countLevel } from '../shared/serving/levels.ts'
import { underBlocks } from '../shared/serving/served-blocks.ts'
import type { Figure } from './figure.ts'
import { seedKeyStore, STORE_ENVIRONMENT } from './key-store.ts'
import { compare } from './rounds.ts'
import { BUNDLES, NO_CONTEXT, PASSWORD, read, type Handler } from './service.ts'

const CALLS = 1_000
const ROUNDS = 15

/** The work of a warm call for emergency blocks (none is in force) and for the service level of its endpoint. */
async function both(storeId: string): Promise<void> {
  const epochMs = Date.now()
  const monoMs = performance.now()
  const record = { domain: ROOT_DOMAIN_ID, keyStore: storeId, awsPrincipalArn: 'arn:aws:iam::111122223333:role/orders' }
  const used = () => ({ ids: [storeId], clouds: ['xks', 'cloud-a'] })
  const moment = { monoMs, epochMs, untilMs: monoMs + 1_000 }
  const open = underBlocks(ROOT_DOMAIN_ID, moment, record, XKS_ACCESS_LOG, used)
  if (open instanceof Promise) await open
  countLevel(XKS_ACCESS_LOG, record, { status: 200, ms: performance.now() - monoMs }, epochMs)
}

/** Cost of emergency blocks and service levels, against the shortest call of a data plane. */
export async function measure(): Promise<Figure[]> {
  const environment = STORE_ENVIRONMENT
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const store = await seedKeyStore(deployment, 1)
    Object.assign(process.env, deployment.environmentOf('xks'), STORE_ENVIRONMENT)
    const { handler } = (await import('../functions/xks/handler.ts')) as { handler: Handler }
    const fields = { plaintext: randomBytes(76).toString('base64'), encryptionAlgorithm: 'AES_GCM' }
    const event = store.event('encrypt', store.keyIds[0] ?? '', fields)
    const times = (once: () => Promise<unknown>) => ({
      run: async (calls: number) => {
        for (let call = 0; call < calls; call++) await once()
      },
    })
    const outcome = await compare({
      ours: times(() => both(store.id)),
      bare: times(async () => read(await handler(event, NO_CONTEXT), 200)),
      ...{ calls: CALLS, turns: 2, rounds: ROUNDS },
    })
    const us = (ms: number): string => (ms * 1_000).toFixed(1)
    return [
      {
        name: 'emergency blocks and service levels / warm xks encrypt',
        measured: outcome.ratio,
        promise: { atMost: 0.02 },
        note: `${us(outcome.oursMs)} of ${us(outcome.bareMs)} µs`,
      },
    ]
  } finally {
    await deployment.stop()
  }
}
