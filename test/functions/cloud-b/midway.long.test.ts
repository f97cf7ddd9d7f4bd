import type { SimulatedKeyView } from '../../../infra/simulators/cloud-b/simulator.ts'
import { midway } from '../midway/midway.ts'
import type { Found, Recorded } from '../midway/row.ts'
import type { Holder } from '../vault/vault.ts'
import { CLOUD_B, CONNECTIONS, connectionBody, VAULT } from './cloud-b.ts'
import { keyBody, KEYS, uploadBody, vaultsBody } from './keys.ts'

const refusalsOnly = true
const make = async (who: Holder, name: string): Promise<string> => (await who.ok('POST', KEYS, keyBody(name))).id

/** A version: each has a record, and each is live, because a former one still decrypts. */
const versionOf = (name: string, version: string, isDeleted: boolean, enabled: boolean, changed = 'no'): Found => ({
  ...{ ref: `${name}/${version}`, name, live: enabled && !isDeleted },
  facts: { status: isDeleted ? 'SOFT-DELETED' : 'ACTIVE', enabled, changed },
})
const versionsOf = ({ name, deleted, versions }: SimulatedKeyView): Found[] =>
  versions.map(({ id, enabled, tags }) => versionOf(name, id, deleted, enabled, tags.changed))

midway({
  cloud: 'cloud-b',
  inject: ({ cloudB }, fault) => cloudB.inject({ ...fault, service: 'vault' }),
  calls: ({ cloudB }) => cloudB.calls().filter(({ service }) => service === 'vault').length,
  setUp: async (who) => {
    await who.ok('POST', CONNECTIONS, connectionBody(who.service.deployment.cloudB, 'main'))
    await who.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([VAULT]))
    await who.create({ name: 'source', algorithm: 'ec', curveid: 'prime256v1' })
  },
  make,
  there: ({ cloudB }) => cloudB.keysIn(VAULT).flatMap(versionsOf),
  recorded: async (who) => {
    const { resources } = await who.ok('GET', `${KEYS}?limit=-1`)
    return resources
      .filter(({ gone, status }: any) => !gone && status !== 'DELETED')
      .map(({ id, unread, key_name, version, status, cloud_b_param: param }: any): Recorded => ({
        ...{ id, unread: unread !== undefined },
        ...versionOf(key_name, version, status === 'SOFT-DELETED', param.attributes.enabled, param.tags?.changed),
      }))
  },
  refresh: (id) => `${KEYS}/${id}/refresh`,
  originOf: async (who, id) => (await who.ok('GET', `${KEYS}/${id}`)).key_material_origin,
  others: {
    disable: ({ cloudB }, ref) => cloudB.alterKey(VAULT, ref.split('/')[0] ?? '', { enabled: false }),
    remove: ({ cloudB }, ref) => cloudB.forgetKey(VAULT, ref.split('/')[0] ?? ''),
  },
  verbs: {
    create: { request: (name) => ({ path: KEYS, body: keyBody(name) }), done: { status: 'ACTIVE', enabled: true } },
    upload: {
      request: (name) => ({ path: `${CLOUD_B}/upload-key`, body: uploadBody(name, 'source') }),
      done: { status: 'ACTIVE', enabled: true },
      origin: 'keymgr',
    },
    'a change of tags': {
      refusalsOnly,
      prepare: make,
      request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { tags: { changed: 'yes' } } }),
      done: { changed: 'yes' },
    },
    'a soft deletion': {
      refusalsOnly,
      prepare: make,
      request: (_name, id) => ({ path: `${KEYS}/${id}/soft-delete` }),
      done: { status: 'SOFT-DELETED' },
    },
  },
})
