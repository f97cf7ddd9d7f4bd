import { generateKeyPairSync } from 'node:crypto'
import type { CloudBKeySpec, CloudBPlace } from '../../../../shared/clouds/cloud-b/adapter/types.ts'
import { cloudB } from '../../../../shared/clouds/cloud-b/adapter/verbs.ts'
import { RECORD_TAG, type CloudBKeyParam } from '../../../../shared/clouds/cloud-b/param.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { textMarker } from '../../../support/markers.ts'
import { conforms } from '../conformance.ts'
import { newName, POOL, useCloudB, VAULT } from './simulated.ts'

const own = useCloudB()
const WRONG_SECRET = 'wrong~secret~of~the~application~keymgr'
const { keys } = cloudB

/** In this suite, a version counts as a key; its journal names the record of the work. */
const marked = (spec: CloudBKeySpec, mark: string): CloudBKeySpec => ({ ...spec, mark })

const refsIn = (vault: string): readonly string[] =>
  own.cloud.keysIn(vault).flatMap(({ name, versions }) => versions.map(({ id }) => `${name}/${id}`))

const versionsIn = (vault: string) =>
  own.cloud.keysIn(vault).flatMap(({ name, versions }) => versions.map((version) => ({ name, version })))

const rsa = (): KeyMaterial => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const bytes = SecretBytes.take(privateKey.export({ format: 'der', type: 'pkcs8' }))
  return { objectType: 'Private Key', algorithm: 'rsa', sizeBits: 2048, bytes }
}
const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})

const pathOf = (ref: string, verb: string): string => `/keys/${ref}/${verb}`

interface Kind {
  readonly name: string
  readonly vault: string
  readonly spec: Partial<CloudBKeySpec>
  readonly material: () => KeyMaterial
  readonly otherSpec: Partial<CloudBKeySpec>
  readonly alg: string
}

const KINDS: readonly Kind[] = [
  {
    name: 'cloud-b',
    vault: VAULT,
    spec: { kty: 'RSA', key_size: 2048 },
    material: rsa,
    otherSpec: { kty: 'EC', crv: 'P-256' },
    alg: 'RSA-OAEP-256',
  },
  {
    name: 'cloud-b, in a managed pool',
    vault: POOL,
    spec: { kty: 'oct-HSM', key_size: 256 },
    material: aes,
    otherSpec: { kty: 'RSA-HSM' },
    alg: 'A256GCM',
  },
]

for (const { name, vault, spec, material, otherSpec, alg } of KINDS) {
  const place = (budget?: AbortSignal): CloudBPlace => own.place({ vault, ...(budget && { budget }) })
  const specNamed = (more: Partial<CloudBKeySpec>, key = newName()): CloudBKeySpec => ({ name: key, mark: '', ...more })
  conforms<
    ReturnType<typeof own.connection>,
    CloudBPlace,
    CloudBKeySpec,
    { ref: string; param: CloudBKeyParam },
    never,
    never,
    never
  >(name, {
    cloud: {
      test: (connection, budget) => cloudB.test(connection, budget),
      refs: (at, cursor) => keys.refs(at, cursor),
      read: (at, ref) => keys.read(at, ref),
      survey: (at) => keys.survey(at),
      create: (at, wanted, journal) => keys.create(at, marked(wanted, journal.id), journal),
      upload: (at, wanted, ours, journal) => keys.upload(at, marked(wanted, journal.id), ours, journal),
    },
    connection: own.connection,
    wrongConnection: () => ({ ...own.connection(), credential: { client_secret: WRONG_SECRET } }),
    place,
    spec: (alias) => specNamed(spec, alias),
    material,
    otherSpec: () => specNamed(otherSpec),
    state: ({ param }) => (param.attributes.enabled ? 'enabled' : 'disabled'),
    tags: ({ param }) => param.tags,
    secrets: () => [
      textMarker('the client secret', own.cloud.credentials[0]?.clientSecret ?? ''),
      textMarker('the wrong client secret', WRONG_SECRET),
    ],
    there: {
      refs: () => refsIn(vault),
      marked: (id) =>
        versionsIn(vault)
          .filter(({ version }) => version.tags[RECORD_TAG] === id)
          .map((each) => `${each.name}/${each.version.id}`),
      encrypt: async (ref, plaintext) => {
        const sealed = await own.asUser(vault, pathOf(ref, 'encrypt'), { alg, value: plaintext.toString('base64url') })
        return Buffer.from(JSON.stringify(sealed))
      },
      decrypt: async (ref, ciphertext) => {
        const { value: clear = '' } = await own.asUser(vault, pathOf(ref, 'decrypt'), {
          ...JSON.parse(ciphertext.toString()),
          alg,
        })
        return Buffer.from(clear, 'base64url')
      },
      bytes: (ref) => own.cloud.materialOf(vault, ref.split('/')[0] ?? '', ref.split('/')[1]),
    },
  })
}
