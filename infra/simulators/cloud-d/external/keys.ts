import { fieldsOf } from '../../toolkit/json-body.ts'
import type { HeldKey, HeldVersion, Shape } from '../state/held.ts'
import { isObject, requiredObject, requiredText, textAt, type Body } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import { incorrectState, invalid } from '../wire/errors.ts'
import type { ManagerCall } from './external-managers.ts'

/** The only shape of key that the cloud uses at external key managers. */
export const EXTERNAL_SHAPE: Shape = { algorithm: 'AES', length: 32 }
const [KEY_BITS, OPERATIONS] = [256, ['ENCRYPT', 'DECRYPT']]

const segment = encodeURIComponent

/** Calls the key manager of a vault. @throws ApiError */
function ask({ managers, vault }: Call, asked: ManagerCall): Promise<Body> {
  const { external } = vault()
  if (external === undefined) throw invalid('The vault is not external.')
  return managers.ask(external, asked)
}

/** @throws ApiError IncorrectState, InvalidParameter unless the key can be used here */
function requireUsable({ state, keyShape, keyOps }: Body): void {
  if (state !== 'ENABLED' && state !== 'ACTIVE') throw incorrectState(`The external key is ${String(state)}.`)
  const isAes = isObject(keyShape) && keyShape.algorithm === 'AES' && keyShape.length === KEY_BITS
  const isFree = Array.isArray(keyOps) && OPERATIONS.every((each) => keyOps.includes(each))
  if (!isAes || !isFree) throw invalid('The external key must be AES-256 for encryption and decryption.')
}

/** The key at the key manager that a request references, with its newest version. @throws ApiError */
export async function referredIn(call: Call): Promise<{ readonly keyId: string; readonly versionId: string }> {
  const keyId = requiredText(requiredObject(call.body, 'externalKeyReference'), 'externalKeyId')
  return { keyId, versionId: await newestVersion(call, keyId) }
}

async function newestVersion(call: Call, keyId: string): Promise<string> {
  const metadata = await ask(call, { method: 'GET', path: `/keys/${segment(keyId)}/metadata` })
  requireUsable(metadata)
  return requiredText(metadata, 'currentKeyVersionId')
}

/** The version for a rotation of the reference; default: the newest one. @throws ApiError */
export async function versionToRefer(call: Call, { externalKeyId = '', versions }: HeldKey): Promise<string> {
  const wanted = textAt(call.body, 'externalKeyVersionId') ?? (await newestVersion(call, externalKeyId))
  if (versions.at(-1)?.externalVersionId === wanted) throw incorrectState('The key refers to this version already.')
  const path = `/keys/${segment(externalKeyId)}/keyVersions/${segment(wanted)}/metadata`
  await ask(call, { method: 'GET', path })
  return wanted
}

const use = (call: Call, { externalKeyId = '' }: HeldKey, action: string, body: object): Promise<Body> =>
  ask(call, { method: 'POST', path: `/keys/${segment(externalKeyId)}/${action}`, body })

const aad = (associated: Buffer) => (associated.length > 0 ? { aad: associated.toString('base64') } : {})

/**
 * Encrypts at the key manager. The ciphertext is the length and text of the version's id, and the key manager's answer.
 */
export async function encryptThere(
  call: Call,
  key: HeldKey,
  version: HeldVersion,
  associated: Buffer,
  plaintext: Buffer,
) {
  const { externalVersionId: keyVersionId } = version
  const body = { plaintext: plaintext.toString('base64'), keyVersionId, ...aad(associated) }
  const blob = await use(call, key, 'encrypt', body)
  const id = Buffer.from(version.id)
  return Buffer.concat([Buffer.of(id.length), id, Buffer.from(JSON.stringify(blob))])
}

/** @throws ApiError InvalidParameter for every decryption failure of the key manager */
export async function decryptThere(call: Call, key: HeldKey, associated: Buffer, ciphertext: Buffer): Promise<Buffer> {
  const blob = fieldsOf(JSON.parse(ciphertext.subarray(1 + (ciphertext[0] ?? 0)).toString())) // format of encryptThere
  const { plaintext } = await use(call, key, 'decrypt', { ...blob, ...aad(associated) })
  if (typeof plaintext !== 'string') throw invalid('The external key manager answered no plaintext.')
  return Buffer.from(plaintext, 'base64')
}

/** Random bytes from the key manager. */
export async function randomThere(call: Call, length: number): Promise<Buffer> {
  const { randomBytes } = await ask(call, { method: 'POST', path: '/generateRandomBytes', body: { length } })
  const bytes = Buffer.from(typeof randomBytes === 'string' ? randomBytes : '', 'base64')
  if (bytes.length !== length) throw invalid('The external key manager answered another number of bytes.')
  return bytes
}
