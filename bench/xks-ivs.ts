import { randomBytes } from 'node:crypto'
import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment } from '../infra/local/deployment.ts'
import { createFunction, type LocalFunction } from '../infra/local/functions/functions.ts'
import { createLog } from '../infra/local/log.ts'
import { exactly, type Figure } from './figure.ts'
import { seedKeyStore, STORE_ENVIRONMENT } from './key-store.ts'
import { BUNDLES, PASSWORD, read } from './service.ts'
import { scaled } from './scale.ts'

const KEYS = 20
const ENCRYPTIONS = scaled(1_000_000, 20_000)
const INSTANCES = 3
/** Parallel calls in each instance. */
const AT_ONCE = 32
/** Calls after which an instance is killed during its work. */
const KILLED_AFTER = scaled(20_000, 4_000)

/**
 * A million encryptions under twenty keys by several instances, some of which are killed meanwhile: no iv is repeated.
 */
export async function measure(): Promise<Figure[]> {
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    environment: STORE_ENVIRONMENT,
  })
  const log = createLog({})
  const row = FUNCTIONS.find(({ name }) => name === 'xks')
  if (row === undefined) throw new Error('There is no function xks')
  const environment = deployment.environmentOf('xks')
  const instances = Array.from({ length: INSTANCES }, () => createFunction(row, { bundles: BUNDLES, environment, log }))
  try {
    const store = await seedKeyStore(deployment, KEYS)
    const fields = { plaintext: randomBytes(32).toString('base64'), encryptionAlgorithm: 'AES_GCM' }
    const events = store.keyIds.map((keyId) => store.event('encrypt', keyId, fields))
    const seen = new Set<string>()
    let [begun, done, repeated, killed] = [0, 0, 0, 0]
    const work = async (instance: LocalFunction): Promise<void> => {
      while (begun < ENCRYPTIONS) {
        const at = begun++
        // A call in progress in a killed instance, or one that met a cold instance for too long, is repeated.
        const answer = await instance.invoke(events[at % KEYS]).catch(() => undefined)
        if ((answer as { statusCode?: number } | undefined)?.statusCode !== 200) {
          begun--
          continue
        }
        const iv = `${at % KEYS} ${(read(answer, 200) as { initializationVector: string }).initializationVector}`
        if (seen.has(iv)) repeated++
        seen.add(iv)
        done++
        if (done % KILLED_AFTER === 0) {
          killed++
          await instance.kill()
        }
      }
    }
    const from = performance.now()
    await Promise.all(instances.flatMap((instance) => Array.from({ length: AT_ONCE }, () => work(instance))))
    const seconds = (performance.now() - from) / 1_000
    return [
      {
        name: 'xks: ivs that repeat',
        measured: exactly(repeated),
        promise: { exactly: 0 },
        note: `${done} encryptions, ${seen.size} ivs, ${KEYS} keys, ${INSTANCES} instances, ${killed} kills, ${seconds.toFixed(0)} s`,
      },
    ]
  } finally {
    await Promise.all(instances.map((instance) => instance.stop(0)))
    await deployment.stop()
    await log.close()
  }
}
