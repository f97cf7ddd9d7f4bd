import { randomBytes } from 'node:crypto'
import * as path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startDeployment } from '../infra/local/deployment.ts'
import { stampOf } from '../test/support/xks-signing.ts'
import { bareProxy } from './bare-proxy.ts'
import type { Figure } from './figure.ts'
import { REGION, seedKeyStore, STORE_ENVIRONMENT } from './key-store.ts'
import { compare, versus } from './rounds.ts'
import { BUNDLES, NO_CONTEXT, PASSWORD, read, type Handler } from './service.ts'
import { scaled } from './scale.ts'

/** The most frequent request: a data key under the cloud's key, with its encryption context. */
const FIELDS = {
  plaintext: randomBytes(76).toString('base64'),
  encryptionAlgorithm: 'AES_GCM',
  additionalAuthenticatedData: randomBytes(60).toString('base64'),
}
const CDIV = { ciphertextDataIntegrityValueAlgorithm: 'SHA_256' }
const CALLS = scaled(2_000, 200)
/** Lets pending I/O run between calls, as between invocations: a loop without it would starve background reads. */
const CALLS_A_TURN = 50

/** Warm Encrypt and Decrypt through the whole bundle, from event to response, against the same cryptography alone. */
export async function measure(): Promise<Figure[]> {
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    environment: STORE_ENVIRONMENT,
  })
  try {
    const store = await seedKeyStore(deployment, 1)
    const [keyId = ''] = store.keyIds
    Object.assign(process.env, deployment.environmentOf('xks'))
    const { handler } = (await import(pathToFileURL(path.join(BUNDLES, 'xks/index.mjs')).href)) as { handler: Handler }
    const encrypt = store.event('encrypt', keyId, { ...FIELDS, ...CDIV })
    const day = stampOf(deployment.clock.now()).slice(0, 8)
    const bare = bareProxy(store.credential.secret, REGION, day, randomBytes(32))

    const encrypted = read(await handler(encrypt, NO_CONTEXT), 200) as object
    const bareEncrypted = JSON.parse(bare.encrypt(encrypt)) as object
    const shared = { ...FIELDS, plaintext: undefined }
    const decrypt = store.event('decrypt', keyId, { ...shared, ...encrypted })
    const bareDecrypt = store.event('decrypt', keyId, { ...shared, ...bareEncrypted })

    const through = (event: typeof encrypt) => async (times: number) => {
      for (let at = 0; at < times; at++) {
        const { statusCode, body } = await handler(event, NO_CONTEXT)
        if (statusCode !== 200) throw new Error(`Answered ${statusCode}: ${body}`)
        if (at % CALLS_A_TURN === 0) await setImmediate()
      }
    }
    const alone = (work: (event: typeof encrypt) => string, event: typeof encrypt) => async (times: number) => {
      for (let at = 0; at < times; at++) {
        work(event)
        if (at % CALLS_A_TURN === 0) await setImmediate()
      }
    }
    const rateOf = async (name: string, ours: typeof encrypt, theirs: (times: number) => Promise<void>) => {
      // A rate is the inverse of a time, so `ours` and `bare` are exchanged.
      const { ratio, oursMs, bareMs } = await compare({
        ours: { run: theirs },
        bare: { run: through(ours) },
        rounds: 21,
        turns: 4,
        calls: CALLS,
      })
      const note = versus({ oursMs: bareMs, bareMs: oursMs })
      return { name, measured: ratio, promise: { atLeast: 0.6 }, note }
    }
    return [
      await rateOf('xks encrypt: rate / bare', encrypt, alone(bare.encrypt, encrypt)),
      await rateOf('xks decrypt: rate / bare', decrypt, alone(bare.decrypt, bareDecrypt)),
    ]
  } finally {
    await deployment.stop()
  }
}
