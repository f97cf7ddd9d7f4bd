import { listCloudCKeyRings } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import { firstOf, keymgr, recordsAt } from '../../service.ts'
import { connectionsTo, type ContainersRow } from '../containers.ts'

export type KeyRing = AnswerOf<'get', '/v1/keymgr/cloud-c/key-rings/{id}'>

/** Managed key rings, as choices. */
export const rings = async () => (await firstOf('/v1/keymgr/cloud-c/key-rings')).resources

/** `shop-keys / europe-west3 / orders`, shortened from the full name. */
const titleOf = (name: string): string =>
  name.replace(/^projects\/(.+)\/locations\/(.+)\/keyRings\/(.+)$/, '$1 / $2 / $3')

export const CONTAINERS: ContainersRow<KeyRing> = {
  noun: 'key ring',
  uri: 'keymgr:cloud-c-key-ring',
  synchronizedAt: 'cloud-c',
  ...recordsAt('/v1/keymgr/cloud-c/key-rings'),
  summary: ({ id, uri, name, connection, project_id, location, refreshed_at: readAt }) => ({
    ...{ id, uri, name, title: titleOf(name), connection, readAt, place: `${project_id} · ${location}` },
    ...{ state: 'Active', tone: 'good' },
  }),
  attributes: (ring) => [
    ['Name', ring.name],
    ['Project', ring.project_id],
    ['Location', ring.location],
    ['Organization', ring.organization_display_name ?? ring.organization_name],
    ['Made at the cloud', ring.create_time],
  ],
  permissions: async () => (await import('./permissions/row.ts')).PERMISSIONS,
  keysBy: 'key_ring',
  filters: filtersOf(listCloudCKeyRings, [
    { name: 'key_ring_id', label: 'Key ring', isFirst: true },
    { name: 'project_id', label: 'Project', isFirst: true },
    { name: 'location', label: 'Location', isFirst: true },
    { name: 'connection', label: 'Connection' },
    { name: 'name', label: 'Whole name' },
  ]),
  actions: [
    {
      ...{ name: 'remove', title: 'Remove', done: 'The key ring is removed.' },
      about: 'Removes the key ring from this service with the records of its keys. The key ring itself stays.',
      applies: () => true,
      call: ({ id }) => callTo('post', '/v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring', { path: { id } }),
    },
  ],
  add: {
    ...{ name: 'key-ring', title: 'Add a key ring' },
    about: 'Enters a key ring of a project, so that its keys can be managed.',
    fields: [
      { name: 'connection', label: 'Connection', isRequired: true, choices: connectionsTo('cloud-c') },
      {
        ...{ name: 'project_id', label: 'Project', isRequired: true, dependsOn: ['connection'] },
        choices: async ({ connection = '' }) => {
          if (connection === '') return []
          const { projects } = await keymgr.post('/v1/keymgr/cloud-c/get-projects', { body: { connection } })
          return projects.map(({ project_id: value, name }) => ({ value, label: `${name} (${value})` }))
        },
      },
      {
        ...{ name: 'key_rings/0/name', label: 'Key ring', isRequired: true },
        hint: 'Its whole name: projects/…/locations/…/keyRings/…',
      },
    ],
    call: (body) => callTo('post', '/v1/keymgr/cloud-c/add-key-rings', { body }),
  },
}
