import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { SHOP } from '../../../../infra/simulators/crm/simulator.ts'
import type { CrmSecretSpec } from '../../../../shared/clouds/crm/adapter/types.ts'
import { crm } from '../../../../shared/clouds/crm/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { useCrmCloud } from './simulated.ts'

const own = useCrmCloud()
const WRONG = 'a-secret-that-is-wrong'
const secrets = () => own.cloud.secrets(SHOP)

const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

const wrappedFor = (certificate: string): CrmSecretSpec => ({
  type: 'Data',
  description: 'orders',
  upload: { key_derivation_mode: 'NONE', certificate },
})

/** The material, used as the cloud's encryption would. */
const bytesOf = (ref: string): Buffer => {
  const bytes = own.cloud.materialOf(ref)
  if (bytes === undefined) throw new Error(`The secret ${ref} has no material`)
  return bytes
}

const STATES: Readonly<Record<string, 'enabled' | 'disabled'>> = { ACTIVE: 'enabled', ARCHIVED: 'disabled' }

conforms('crm', {
  cloud: crm,
  connection: own.connection,
  wrongConnection: () => ({ ...own.connection(), credential: { client_secret: WRONG, password: WRONG } }),
  place: (budget) => own.place(budget && { budget }),
  spec: () => wrappedFor('keymgr_wrapping'),
  material: aes,
  otherSpec: () => wrappedFor('keymgr_callouts'), // its key has 2048 bits
  state: ({ param: { status } }) => STATES[status],
  tags: () => ({}),
  secrets: () => [
    textMarker('the password', own.cloud.credentials[0].password),
    textMarker('the secret of the app', own.cloud.credentials[0].clientSecret),
    textMarker('the wrong secret', WRONG),
  ],
  there: {
    refs: () => secrets().map(({ id }) => id),
    marked: (id) => secrets().flatMap((one) => (one.description?.includes(`[keymgr ${id}]`) === true ? [one.id] : [])),
    encrypt: (ref, plaintext) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', bytesOf(ref), iv)
      const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Promise.resolve(Buffer.concat([iv, cipher.getAuthTag(), text]))
    },
    decrypt: (ref, sealed) => {
      const decipher = createDecipheriv('aes-256-gcm', bytesOf(ref), sealed.subarray(0, 12))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Promise.resolve(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]))
    },
    bytes: (ref) => Promise.resolve(own.cloud.materialOf(ref)),
  },
})
