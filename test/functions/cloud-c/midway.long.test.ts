import { midway } from '../midway/midway.ts'
import type { Recorded } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CLOUD_C, CONNECTIONS, connectionBody, KEYS, PROJECT, RING } from './cloud-c.ts'

const keyBody = (key_name: string) => ({ key_ring: RING, cloud_c_params: { key_name, purpose: 'ENCRYPT_DECRYPT' } })
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, keyBody(name))).id
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

midway({
  cloud: 'cloud-c',
  inject: ({ cloudC }, fault) => cloudC.inject({ ...fault, service: 'kms' }),
  calls: ({ cloudC }) => cloudC.calls().filter(({ service }) => service === 'kms').length,
  setUp: async (who) => {
    await who.ok('POST', CONNECTIONS, connectionBody(who.service.deployment.cloudC, 'main'))
    const body = { connection: 'main', project_id: PROJECT, key_rings: [{ name: RING }] }
    await who.ok('POST', `${CLOUD_C}/add-key-rings`, body)
    await who.create({ name: 'source', algorithm: 'aes', size: 256 })
  },
  make,
  there: ({ cloudC }) =>
    cloudC.keysIn(RING).map(({ name, primary, versions, labels }) => ({
      ...{ ref: name, name: nameOf(name), live: true },
      facts: { primary: primary ?? 0, versions: versions.length, changed: labels.changed ?? 'no' },
    })),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources
      .filter(({ gone }: any) => !gone)
      .map(({ id, unread, version_count, cloud_c_params: { name, primary, labels } }: any): Recorded => ({
        ...{ id, unread: unread !== undefined, ref: name, name: nameOf(name), live: true },
        facts: {
          primary: Number(nameOf((primary as string | undefined) ?? '/0')),
          versions: version_count,
          changed: labels?.changed ?? 'no',
        },
      }))
  },
  refresh: (id) => `${KEYS}/${id}/refresh`,
  originOf: async (who, id) => {
    const { resources } = await who.ok('GET', `${KEYS}/${id}/versions?sort=-version`)
    return resources[0]?.key_material_origin
  },
  others: {
    disable: ({ cloudC }, ref) => cloudC.alter(ref, { version: { number: 1, state: 'DISABLED' } }),
    remove: ({ cloudC }, ref) => cloudC.alter(ref, { version: { number: 1, state: 'DESTROYED' } }),
    takeName: ({ cloudC }, id) => {
      cloudC.seed(RING, 1, () => ({ id }))
      return `${RING}/cryptoKeys/${id}`
    },
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: keyBody(name) }), done: { versions: 1, primary: 1 } },
    upload: {
      request: (name) => ({ path: `${CLOUD_C}/upload-key`, body: { ...keyBody(name), source_key_id: 'source' } }),
      done: { primary: 1 },
      origin: 'keymgr',
    },
  },
})
