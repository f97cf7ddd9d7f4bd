import type { AnswerOf } from '../../sdk/calls.ts'
import { callTo } from '../calls.ts'
import { keymgr, read } from '../service.ts'
import { connectionsTo, type ContainersRow } from './row.ts'

type KeyRing = AnswerOf<'get', '/v1/keymgr/cloud-c/key-rings/{id}'>

const JOBS = '/v1/keymgr/cloud-c/synchronization-jobs'
/** `shop-keys / europe-west3 / orders` of the whole name. */
const titleOf = (name: string): string =>
  name.replace(/^projects\/(.+)\/locations\/(.+)\/keyRings\/(.+)$/, '$1 / $2 / $3')

export const CLOUD_C_CONTAINERS: ContainersRow<KeyRing> = {
  cloud: 'cloud-c',
  title: 'Cloud-c',
  noun: 'key ring',
  list: (query, signal) => read('/v1/keymgr/cloud-c/key-rings', { query, ...(signal && { signal }) }),
  get: (id, signal) => keymgr.get('/v1/keymgr/cloud-c/key-rings/{id}', { path: { id }, signal }),
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
  keysBy: 'key_ring',
  filters: [
    { name: 'key_ring_id', label: 'Key ring', values: 'text', isFirst: true },
    { name: 'project_id', label: 'Project', values: 'text', isFirst: true },
    { name: 'location', label: 'Location', values: 'text', isFirst: true },
    { name: 'connection', label: 'Connection', values: 'text' },
    { name: 'name', label: 'Whole name', values: 'text' },
  ],
  actions: [
    {
      ...{ name: 'remove', title: 'Remove', done: 'The key ring is removed.', isDangerous: true },
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
  testConnection: (id) =>
    callTo('post', '/v1/connectionmgmt/services/cloud-c/connections/{id}/test', { path: { id }, body: {} }),
  synchronizations: {
    listedAs: 'key_rings',
    list: (query, signal) => read(JOBS, { query, signal }),
    get: (id, signal) => keymgr.get(`${JOBS}/{id}`, { path: { id }, signal }),
    start: (names) =>
      callTo('post', JOBS, { body: names === undefined ? { synchronize_all: true } : { key_rings: names } }),
    cancel: (id) => callTo('post', `${JOBS}/{id}/cancel`, { path: { id } }),
  },
}
