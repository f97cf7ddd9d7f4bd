import { generateKeyPairSync } from 'node:crypto'
import { cloudC } from '../../../../shared/clouds/cloud-c/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { KEY_LABEL } from '../../../../shared/clouds/cloud-c/param.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { newName, RING, useCloudC } from './simulated.ts'

const own = useCloudC()
const keys = () => own.cloud.keysIn(RING)
const nameOf = (ref: string): string => `${RING}/cryptoKeys/${ref}`

/** A valid key that is not registered in the cloud. */
const WRONG_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString()

const STATES = {
  ENABLED: 'enabled',
  DISABLED: 'disabled',
  DESTROY_SCHEDULED: 'awaiting deletion',
  DESTROYED: 'without material',
} as const

const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

/** The lines of a PEM text between its first and its last; an error must contain none of them. */
const pemBody = (pem: string): string => pem.split('\n').slice(1, 4).join('\n')

conforms('cloud-c', {
  cloud: cloudC,
  connection: own.connection,
  wrongConnection: () => own.connection({ ...own.cloud.keyFiles[0], private_key: WRONG_KEY }),
  place: (budget) => own.place(budget && { budget }),
  spec: (alias) => ({ key_name: alias ?? newName(), purpose: 'ENCRYPT_DECRYPT' }),
  material: aes,
  otherSpec: () => ({ key_name: newName(), purpose: 'MAC' }),
  versionSpec: () => ({}),
  importing: () => ({}),
  state: ({ primary }) => Object.entries(STATES).find(([word]) => word === primary?.param.state)?.[1],
  versionState: ({ param }) => Object.entries(STATES).find(([word]) => word === param.state)?.[1],
  tags: ({ param }) => param.labels,
  secrets: () => [
    textMarker('the private key', pemBody(own.cloud.keyFiles[0].private_key)),
    textMarker('the wrong private key', pemBody(WRONG_KEY)),
  ],
  there: {
    refs: () => keys().map(({ id }) => id),
    marked: (id) =>
      keys()
        .filter(({ labels }) => labels[KEY_LABEL] === id)
        .map((key) => key.id),
    encrypt: async (ref, plaintext) => {
      const body = { plaintext: plaintext.toString('base64') }
      const { ciphertext = '' } = await own.asUser(`${nameOf(ref)}:encrypt`, body)
      return Buffer.from(ciphertext, 'base64')
    },
    decrypt: async (ref, ciphertext) => {
      const body = { ciphertext: ciphertext.toString('base64') }
      const { plaintext = '' } = await own.asUser(`${nameOf(ref)}:decrypt`, body)
      return Buffer.from(plaintext, 'base64')
    },
    bytes: (ref, version) => own.cloud.materialOf(nameOf(ref), version === undefined ? undefined : Number(version)),
  },
})
