import { createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as z from 'zod'
import { jsonOf } from '../../../base/json.ts'
import type { Refusal } from '../../../base/errors.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { object } from '../../../base/lazy-fields.ts'

/** Fields of a service account's key file that are used. */
export interface ServiceAccount {
  readonly client_email: string
  readonly private_key_id: string
  /** project of the account, not necessarily the one whose keys are managed */
  readonly project_id?: string | undefined
  /** RSA, private */
  readonly privateKey: KeyObject
}

/**
 * The file also contains addresses. They are not used, because an address in a credential could direct us to any host.
 */
const KeyFile = object(() => ({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(320),
  private_key_id: z.string().min(1).max(128),
  private_key: z.string().min(1),
  project_id: z.string().optional(),
}))

/** @see RFC 7518 §3.3: the shortest key that may sign tokens */
const LEAST_BITS = 2048

const broken = (detail: string): Refusal => ruleBroken('key_file', detail)

function parsed(keyFile: string): z.infer<typeof KeyFile> {
  const json = jsonOf(keyFile)
  if (json === undefined) throw broken('must be the JSON text of a key file')
  const file = KeyFile.safeParse(json)
  if (file.success) return file.data
  const fields = [...new Set(file.error.issues.map(({ path }) => path.join('.')))].filter((field) => field !== '')
  throw broken(
    fields.length === 0
      ? 'must be the key file of a service account'
      : `is not the key file of a service account: ${fields.join(', ')}`,
  )
}

/**
 * @param keyFile JSON text of a service account's key file
 * @throws Refusal RULE_BROKEN, which quotes only names of fields, for an invalid file, or a key that is not RSA or is
 * too short
 */
export function serviceAccountOf(keyFile: string): ServiceAccount {
  const { client_email, private_key_id, private_key, project_id } = parsed(keyFile)
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(private_key)
  } catch {
    throw broken('holds a private_key that cannot be read')
  }
  if (privateKey.asymmetricKeyType !== 'rsa') throw broken('must hold an RSA private_key')
  if ((privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS)
    throw broken(`must hold a private_key of ${LEAST_BITS} bits or more`)
  return { client_email, private_key_id, project_id, privateKey }
}
