import { createDecipheriv, generateKeyPairSync, randomBytes, createCipheriv } from 'node:crypto'
import { settledKey } from '../../../../shared/clouds/cloud-d/adapter/reading.ts'
import type {
  CloudD,
  CloudDKeyRead,
  CloudDKeySpec,
  CloudDPlace,
} from '../../../../shared/clouds/cloud-d/adapter/types.ts'
import { cloudD } from '../../../../shared/clouds/cloud-d/adapter/verbs.ts'
import { keyRead } from '../../../../shared/clouds/cloud-d/adapter/wire.ts'
import { KEY_TAG } from '../../../../shared/clouds/cloud-d/param.ts'
import { fingerprintOf } from '../../../../shared/crypto/signing/http-signature.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { newName, ORDERS, useCloudD } from './simulated.ts'

const own = useCloudD()
const keys = () => own.cloud.keysIn(own.place().vault.vault_id)

/** A valid key that is unknown to the cloud. */
const WRONG = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const WRONG_KEY = WRONG.export({ format: 'pem', type: 'pkcs8' }).toString()

const STATES: Readonly<Record<string, 'enabled' | 'disabled' | 'awaiting deletion'>> = {
  ENABLED: 'enabled',
  DISABLED: 'disabled',
  PENDING_DELETION: 'awaiting deletion',
}

const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

/** Body lines of a PEM text, none of which an error may show. */
const pemBody = (pem: string): string => pem.split('\n').slice(1, 4).join('\n')

/** The key, once the cloud has created it: reads succeed earlier. */
const waited = async (place: CloudDPlace, { ref }: CloudDKeyRead): Promise<CloudDKeyRead> =>
  keyRead(await settledKey(place, ref), place.vault.display_name)
const patient: CloudD = {
  ...cloudD,
  create: async (place, ...more) => waited(place, await cloudD.create(place, ...more)),
  upload: async (place, ...more) => waited(place, await cloudD.upload(place, ...more)),
}

const spec = (): CloudDKeySpec => ({
  name: newName(),
  compartment_id: ORDERS,
  algorithm: 'AES',
  length: 32,
  protection_mode: 'SOFTWARE',
})

/** The imported material, used as an application would. The simulator's tests cover the cloud's own cryptography. */
const bytesOf = async (ref: string): Promise<Buffer> => {
  const bytes = await own.cloud.materialOf(ref)
  if (bytes === undefined) throw new Error(`The key ${ref} has no material`)
  return bytes
}

conforms('cloud-d', {
  cloud: patient,
  connection: own.connection,
  wrongConnection: () => ({ ...own.connection(), key_file: WRONG_KEY, fingerprint: fingerprintOf(WRONG) }),
  place: (budget) => own.place(budget && { budget }),
  spec,
  material: aes,
  otherSpec: () => ({ ...spec(), algorithm: 'RSA', length: 256 }),
  versionSpec: () => ({}),
  state: ({ param }) => STATES[param.lifecycle_state],
  versionState: ({ param }) => STATES[param.lifecycle_state],
  tags: ({ param }) => param.freeform_tags,
  secrets: () => [
    textMarker('the private key', pemBody(own.cloud.credentials[0].privateKey)),
    textMarker('the wrong private key', pemBody(WRONG_KEY)),
  ],
  there: {
    refs: () => keys().map(({ id }) => id),
    marked: (id) => keys().flatMap((key) => (key.freeformTags[KEY_TAG] === id ? [key.id] : [])),
    encrypt: async (ref, plaintext) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', await bytesOf(ref), iv)
      const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text])
    },
    decrypt: async (ref, sealed) => {
      const decipher = createDecipheriv('aes-256-gcm', await bytesOf(ref), sealed.subarray(0, 12))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    },
    bytes: (ref, version) => own.cloud.materialOf(ref, version),
  },
})
