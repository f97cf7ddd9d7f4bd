import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { DatacustKeySpec } from '../../../../shared/clouds/datacust/adapter/types.ts'
import { datacust } from '../../../../shared/clouds/datacust/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { newName, useSimulatedDatacust } from './simulated.ts'

const own = useSimulatedDatacust()

const WRONG_SECRET = `wrong-${randomBytes(12).toString('hex')}`

/** The key-encryption key of the group, which uploads create, is no key of a test. */
const keysIn = (group: string) =>
  own.cloud.keysIn(own.place(group as 'finance').group.group_id).filter(({ name }) => name !== 'keymgr-import-key')

const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

/** The imported material, used as an application would. The cloud's own use of keys is not public. */
const bytesOf = async (ref: string): Promise<Buffer> => {
  const bytes = await own.cloud.materialOf(ref)
  if (bytes === undefined) throw new Error(`The key ${ref} has no material`)
  return bytes
}

/** @param group its keystore decides how material is imported */
function conformsIn(group: 'finance' | 'outpost', versions: object): void {
  // The cloud's keys have no marks: the keys of a piece of work are those with the name that it asked for.
  let asked = ''
  const spec = (alias?: string): DatacustKeySpec => {
    asked = alias ?? newName()
    return { name: asked, type: 'AES', size: 256, operations: ['ENCRYPT', 'DECRYPT'] }
  }
  conforms(`datacust (${group})`, {
    cloud: datacust,
    connection: own.connection,
    wrongConnection: () => {
      const { standard, ...rest } = own.connection()
      return { ...rest, ...(standard && { standard: { ...standard, secret: WRONG_SECRET } }) }
    },
    place: (budget) => own.place(group, budget),
    spec,
    material: aes,
    otherSpec: () => ({ ...spec(), type: 'RSA', size: 2048 }),
    ...versions,
    state: ({ param: { enabled } }) => (enabled ? 'enabled' : 'disabled'),
    versionState: ({ param: { enabled } }) => (enabled ? 'enabled' : 'disabled'),
    tags: () => ({}),
    secrets: () => [
      textMarker('the password', own.connection().standard?.secret ?? ''),
      textMarker('the wrong password', WRONG_SECRET),
    ],
    there: {
      refs: () => keysIn(group).map(({ id }) => id),
      marked: () => keysIn(group).flatMap(({ id, name }) => (name === asked ? [id] : [])),
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
      bytes: (ref, version) => own.cloud.materialOf(ref, version === undefined ? undefined : Number(version)),
    },
  })
}

conformsIn('finance', { versionSpec: () => ({}) })
conformsIn('outpost', {})
