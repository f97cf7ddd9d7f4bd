import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { KEY_TAG } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { firstOf, REGION, useCloudA } from './simulated.ts'

const own = useCloudA()
const account = () => firstOf(own.cloud, 'cloud-a')
const keys = () => own.cloud.keysIn(account().id, REGION)

const STATES = {
  Enabled: 'enabled',
  Disabled: 'disabled',
  PendingDeletion: 'awaiting deletion',
  PendingImport: 'without material',
} as const

const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

conforms('cloud-a', {
  cloud: cloudA,
  connection: own.connection,
  wrongConnection: () => own.connection(account(), { secret_access_key: 'not-the-secret-of-anybody-at-all-4711' }),
  place: (budget) => own.place(budget && { budget }),
  spec: (alias) => ({ spec: 'SYMMETRIC_DEFAULT', usage: 'ENCRYPT_DECRYPT', tags: [], alias }),
  material: aes,
  otherSpec: () => ({ spec: 'HMAC_256', usage: 'GENERATE_VERIFY_MAC', tags: [] }),
  importing: () => ({ spec: 'SYMMETRIC_DEFAULT' }),
  state: ({ param }) => Object.entries(STATES).find(([word]) => word === param.KeyState)?.[1],
  tags: ({ param }) => Object.fromEntries(param.Tags.map(({ TagKey, TagValue }) => [TagKey, TagValue])),
  secrets: () => [
    textMarker('the secret access key', account().credentials.secretAccessKey),
    textMarker('the wrong secret access key', 'not-the-secret-of-anybody-at-all-4711'),
    textMarker('the access key id', account().credentials.accessKeyId),
  ],
  there: {
    refs: () => keys().map(({ id }) => id),
    marked: (id) =>
      keys()
        .filter(({ tags }) => tags[KEY_TAG] === id)
        .map((key) => key.id),
    encrypt: async (KeyId, Plaintext) => {
      const { CiphertextBlob } = await own.kms().send(new EncryptCommand({ KeyId, Plaintext }))
      return Buffer.from(CiphertextBlob ?? [])
    },
    decrypt: async (KeyId, CiphertextBlob) => {
      const { Plaintext } = await own.kms().send(new DecryptCommand({ KeyId, CiphertextBlob }))
      return Buffer.from(Plaintext ?? [])
    },
    bytes: (ref) => own.cloud.materialOf(account().id, REGION, ref),
  },
})
