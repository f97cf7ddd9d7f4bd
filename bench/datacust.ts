import {
  constants,
  createCipheriv,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { readItem } from '../shared/serving/sdkless/dynamo.ts'
import { rateAgainst } from './data-plane.ts'
import { seedKeystore, type BenchKeystore } from './datacust-keystore.ts'
import type { Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, read, UNTHROTTLED, type Handler, NO_CONTEXT } from './service.ts'

const NAME = 'datacust-data'
const CALLS = scaled(300, 30)
/** Lets pending I/O run between calls, as between invocations. */
const CALLS_A_TURN = 10
const RSA_BITS = 3_072
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

type Work = (fields: any) => object

/**
 * The minimum of a call: the certificate's fingerprint, the parsed body, the records that decide about the call, read in
 * one batch because none may be older than the call, the cryptography, the answer. No order of checks, limits or log.
 */
const bare =
  ({ certificate, records }: BenchKeystore, work: Work) =>
  async ({ body = '' }: APIGatewayProxyEventV2): Promise<string> => {
    if (new X509Certificate(certificate).fingerprint256 === '') throw new Error('The certificate is wrong')
    const found = await Promise.all(records.map((key) => readItem(key, Date.now())))
    for (const item of found) JSON.parse(item?.data?.S ?? '')
    return JSON.stringify(work(JSON.parse(body)))
  }

function encrypting(): Work {
  const key = createSecretKey(randomBytes(32))
  return ({ plaintext, aad }) => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(String(aad), 'base64'))
    const ciphertext = Buffer.concat([cipher.update(Buffer.from(String(plaintext), 'base64')), cipher.final()])
    const [text, tag] = [ciphertext, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'))
    return { ciphertext: text, tag, iv: iv.toString('base64'), aad }
  }
}

function decrypting(): Work {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS })
  const ciphertext = publicEncrypt({ key: publicKey, ...OAEP }, randomBytes(32))
  return () => ({ plaintext: privateDecrypt({ key: privateKey, ...OAEP }, ciphertext).toString('base64') })
}

/** A warm call through the whole bundle, from event to answer, against the same reads and cryptography alone. */
async function rateOf(
  deployment: Deployment,
  name: string,
  atLeast: number,
  { store, event, work }: { store: BenchKeystore; event: APIGatewayProxyEventV2; work: Work },
): Promise<Figure> {
  const { ratio, note } = await rateAgainst(bare(store, work), {
    environment: deployment.environmentOf(NAME),
    function: NAME,
    events: [event],
    calls: CALLS,
    callsATurn: CALLS_A_TURN,
  })
  return { name: `datacust ${name}: rate / bare`, measured: ratio, promise: { atLeast }, note }
}

/** A decryption of data that the public half encrypted. */
async function decryption(deployment: Deployment, store: BenchKeystore): Promise<APIGatewayProxyEventV2> {
  Object.assign(process.env, deployment.environmentOf(NAME))
  const { handler } = (await import(`${BUNDLES}/${NAME}/index.mjs`)) as { handler: Handler }
  const answer = read(await handler(store.event('get-public-key', {}), NO_CONTEXT), 200)
  const { public_key: pem, key_version_id } = answer as { public_key: string; key_version_id: string }
  const ciphertext = publicEncrypt({ key: createPublicKey(pem), ...OAEP }, randomBytes(32)).toString('base64')
  return store.event('asymmetric-decrypt', { ciphertext, algorithm: 'RSAES_OAEP_SHA_256', key_version_id })
}

export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_DATACUST_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const aes = await seedKeystore(deployment, { algorithm: 'aes', size: 256 })
    const [plaintext, aad] = [randomBytes(76), randomBytes(60)].map((bytes) => bytes.toString('base64'))
    const encrypt = aes.event('symmetric-encrypt', { plaintext, aad })
    const rsa = await seedKeystore(deployment, { algorithm: 'rsa', size: RSA_BITS, usageMask: 15 })
    const decrypt = await decryption(deployment, rsa)
    return [
      await rateOf(deployment, 'encrypt with AES', 0.5, { store: aes, event: encrypt, work: encrypting() }),
      await rateOf(deployment, 'decrypt with RSA', 0.85, { store: rsa, event: decrypt, work: decrypting() }),
    ]
  } finally {
    await deployment.stop()
  }
}
