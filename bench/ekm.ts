import { createCipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment } from '../infra/local/deployment.ts'
import { assertToken } from './bare-token.ts'
import { rateAgainst } from './data-plane.ts'
import { seedEkmEndpoint } from './ekm-endpoint.ts'
import type { Figure } from './figure.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'
import { scaled } from './scale.ts'

/** A request of the cloud: its ciphertext, its context, its reason. */
const FIELDS = {
  plaintext: randomBytes(76).toString('base64'),
  additionalAuthenticatedData: randomBytes(60).toString('base64'),
  additionalContext: {
    relativeResourceName: 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
    accessReasonContext: { reason: 'CUSTOMER_INITIATED_ACCESS' },
  },
}
const CALLS = scaled(1_000, 100)
/** Lets pending I/O run between calls, as between invocations: a loop without it would starve background reads. */
const CALLS_A_TURN = 50
/** More tokens than an instance caches, so that every signature is verified. */
const DISTINCT = scaled(1_500, 1_100)

/**
 * The minimum of a wrap: the token's signature and claims, the parsed body, AES-256-GCM, the answer. No endpoint,
 * policy, states, counter in a table or log.
 */
function bareWrap(issuer: KeyObject, { headers, body = '' }: APIGatewayProxyEventV2): () => string {
  const key = createSecretKey(randomBytes(32))
  let uses = 0n
  return () => {
    assertToken(issuer, headers.authorization)
    const { plaintext, additionalAuthenticatedData } = JSON.parse(body)
    const iv = Buffer.alloc(12)
    iv.writeBigUInt64BE(uses++, 4)
    const aad = Buffer.from(additionalAuthenticatedData as string, 'base64')
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(aad)
    const ciphertext = cipher.update(Buffer.from(plaintext as string, 'base64'))
    cipher.final()
    const blob = Buffer.concat([Buffer.of(1, 0, 0, 0, 0), iv, ciphertext, cipher.getAuthTag()])
    return JSON.stringify({ wrappedBlob: blob.toString('base64') })
  }
}

/** A warm wrap through the whole bundle, from event to response, against the token check and the cryptography alone. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_EKM_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  const endpoint = await seedEkmEndpoint(deployment)
  try {
    const event = endpoint.event('wrap', FIELDS)
    const rateOf = (events: readonly [APIGatewayProxyEventV2, ...APIGatewayProxyEventV2[]]) =>
      rateAgainst(bareWrap(endpoint.issuerKey.publicKey, event), {
        environment: { ...deployment.environmentOf('ekm-data'), ...endpoint.environment },
        function: 'ekm-data',
        events,
        calls: CALLS,
        callsATurn: CALLS_A_TURN,
      })
    const repeated = await rateOf([event])
    const fresh = await rateOf([event, ...Array.from({ length: DISTINCT }, () => endpoint.event('wrap', FIELDS))])
    return [
      { name: 'ekm wrap: rate / bare', measured: repeated.ratio, promise: { atLeast: 0.75 }, note: repeated.note },
      {
        name: 'ekm wrap, each with a new token: rate / bare',
        measured: fresh.ratio,
        promise: { atLeast: 0.5 },
        note: fresh.note,
      },
    ]
  } finally {
    await endpoint.stop()
    await deployment.stop()
  }
}
