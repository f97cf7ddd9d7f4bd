import type { Box } from '../boxes.ts'
import type { Key } from '../key-model.ts'

/** What a row of the console imports; tests without a browser cannot load it. */
interface Console {
  readonly callTo: (method: string, path: string, init: object) => object
  readonly recordsAt: (path: string) => object
}

const BOXES = '/v1/keymgr/throw-away/boxes'
const KEYS = '/v1/keymgr/throw-away/keys'
const NAME = { name: 'name', label: 'Name', values: 'text', isFirst: true }

/** The throw-away cloud in the console: this row, and a line in its list of clouds. */
export const rowFrom = ({ callTo, recordsAt }: Console) => ({
  ...{ name: 'throw-away', title: 'Throw-away' },
  connection: {
    ...{ service: 'throw-away', name: 'throw-away', title: 'Throw-away', about: 'Keys in boxes.' },
    ways: [{ title: 'Token', fields: [{ name: 'token', label: 'Token', kind: 'secret', isRequired: true }] }],
    ...{ fields: [], rest: [], help: [], faults: [] },
  },
  containers: {
    ...{ noun: 'box', uri: 'keymgr:throw-away-box', synchronizedAt: 'throw-away', keysBy: 'box' },
    ...recordsAt(BOXES),
    summary: ({ id, uri, name, connection, refreshed_at: readAt }: Box) => ({
      ...{ id, uri, name, title: name, connection, readAt, place: 'The only region', state: 'Active', tone: 'good' },
    }),
    attributes: ({ name }: Box) => [['Name', name]],
    filters: [NAME],
    actions: [],
    add: {
      ...{ name: 'box', title: 'Add a box', about: 'Enters a box, so that its keys can be managed.' },
      fields: [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'connection', label: 'Connection', isRequired: true },
      ],
      call: (body: object) => callTo('post', BOXES, { body }),
    },
  },
  reports: { filters: [], place: [] },
  keys: {
    ...{ place: 'Box', uri: 'keymgr:throw-away-key' },
    ...recordsAt(KEYS),
    summary: ({ id, uri, box, gone, createdAt, throw_away_param: { label, enabled } }: Key) => ({
      ...{ id, uri, createdAt, name: label, place: box, spec: 'AES-256' },
      ...(gone || !enabled ? { state: gone ? 'Gone' : 'Off', tone: 'quiet' } : { state: 'On', tone: 'good' }),
    }),
    attributes: ({ throw_away_param: { id } }: Key) => [['Id in the cloud', id]],
    versions: () => Promise.resolve([]),
    common: { name: 'label', material: 'key_material_origin', knowsRotation: false, usable: { gone: 'false' } },
    filters: [{ name: 'label', label: 'Label', values: 'text', isFirst: true }],
    states: [],
    actions: [
      {
        ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.', about: 'Reads the key.' },
        applies: ({ gone }: Key) => !gone,
        call: ({ id }: Key) => callTo('post', `${KEYS}/{id}/refresh`, { path: { id } }),
      },
    ],
    bulk: [],
    ways: [
      {
        ...{ name: 'create', title: 'Create in throw-away', about: 'The cloud makes the material itself.' },
        fields: [
          { name: 'box', label: 'Box', isRequired: true },
          { name: 'label', label: 'Label', isRequired: true },
        ],
        call: (body: object) => callTo('post', KEYS, { body }),
      },
    ],
  },
})
