import { createCipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment } from '../../infra/local/deployment.ts'
import { rateAgainst } from '../data-plane.ts'
import { assertToken } from '../bare-token.ts'
import type { Figure } from '../figure.ts'
import { scaled } from '../scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from '../service.ts'
import { seedExternalKey } from './external-vault.ts'

const CALLS = scaled(1_000, 100)
/** Lets pending I/O run between calls, as between invocations: a loop without it would starve background reads. */
const CALLS_A_TURN = 50

/**
 * The minimum of an encryption: the token's signature and claims, the parsed body, AES-256-GCM, the answer. No vault,
 * states, counter in a table or log.
 */
function bareEncrypt(issuer: KeyObject, { headers, body = '' }: APIGatewayProxyEventV2): () => string {
  const key = createSecretKey(randomBytes(32))
  let uses = 0n
  return () => {
    assertToken(issuer, headers.authorization)
    const { plaintext, aad } = JSON.parse(body)
    const iv = Buffer.alloc(12)
    iv.writeBigUInt64BE(uses++, 4)
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
    cipher.setAAD(Buffer.from(aad as string, 'base64'))
    const ciphertext = cipher.update(Buffer.from(plaintext as string, 'base64'))
    cipher.final()
    return JSON.stringify({
      ciphertext: ciphertext.toString('base64'),
      iv: iv.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      ...{ mode: 'GCM', aad, keyVersionId: '00000000-0000-4000-8000-000000000000' },
    })
  }
}

/** A warm encryption through the whole bundle, from event to answer, against the token check and the cryptography. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_EXTERNAL_VAULT_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const { issuerKey, encryption } = await seedExternalKey(deployment)
    const event = await encryption()
    const { ratio, note } = await rateAgainst(bareEncrypt(issuerKey, event), {
      environment: deployment.environmentOf('external-vaults'),
      function: 'external-vaults',
      events: [event],
      calls: CALLS,
      callsATurn: CALLS_A_TURN,
    })
    return [{ name: 'external vault encrypt: rate / bare', measured: ratio, promise: { atLeast: 0.5 }, note }]
  } finally {
    await deployment.stop()
  }
}
