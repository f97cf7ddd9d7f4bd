import { constants, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** Kind of a private key. */
export type PairKind =
  | { readonly family: 'rsa'; readonly modulusBits: number }
  /** Curve by its name in node:crypto. */
  | { readonly family: 'ec'; readonly curve: string }

/** RSASSA-PSS with a salt as long as the hash. */
export const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const

const generate = promisify(generateKeyPair)

/** A private RSA key, generated in the thread pool: 4096 bits take half a second or more. */
export const generateRsa = async (modulusLength: number): Promise<KeyObject> =>
  (await generate('rsa', { modulusLength })).privateKey

/** New material, PKCS #8. */
export async function generatePair(kind: PairKind): Promise<Buffer> {
  if (kind.family === 'rsa') return pkcs8Of(await generateRsa(kind.modulusBits))
  return pkcs8Of((await generate('ec', { namedCurve: kind.curve })).privateKey)
}

export const privateKeyOf = (pkcs8: Buffer): KeyObject => createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
export const pkcs8Of = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'pkcs8' })
export const publicKeyOf = (pkcs8: Buffer): KeyObject => createPublicKey(privateKeyOf(pkcs8))

/**
 * Imported material in the stored form: PKCS #8 as OpenSSL writes it.
 * @returns `undefined` if it is not a private key of this kind
 */
export function acceptPair(kind: PairKind, bytes: Buffer): Buffer | undefined {
  let key: KeyObject
  try {
    key = privateKeyOf(bytes)
  } catch {
    return undefined
  }
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  const fits = kind.family === 'rsa' ? modulusLength === kind.modulusBits : namedCurve === kind.curve
  return fits && key.asymmetricKeyType === kind.family ? pkcs8Of(key) : undefined
}

/** RSA keys that all simulators of this process share, because they take long to generate. */
const pool = new Map<string, Promise<KeyObject>>()

/** @param name distinguishes keys of the same size */
export function pooledRsa(name: string, modulusBits: number): Promise<KeyObject> {
  const place = `${modulusBits} ${name}`
  const made = pool.get(place) ?? generateRsa(modulusBits)
  pool.set(place, made)
  return made
}
