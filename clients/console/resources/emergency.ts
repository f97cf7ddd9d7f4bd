/** Emergency blocks and drills. */
import { callTo } from '../calls.ts'
import { described } from '../forms/fields.ts'
import { createEmergencyBlock } from './described.ts'
import type { ResourceRow } from './row.ts'

const isDrill = ({ drill }: Readonly<Record<string, string>>): boolean => drill === 'true'
const isBlock = (values: Readonly<Record<string, string>>): boolean => !isDrill(values)

export const EMERGENCY: readonly ResourceRow[] = [
  {
    ...{ name: 'emergency', title: 'Emergency blocks', noun: 'emergency block' },
    about: 'Blocks stop all uses of something at once. Drills only report who would have been hit.',
    path: '/v1/emergency/blocks',
    item: '/v1/emergency/blocks/{id}',
    nameBy: 'target_name',
    columns: [
      ['kind', 'Kind'],
      ['state', 'State'],
      ['drill', 'Drill'],
      ['until', 'Opens'],
      ['created_by', 'Made by'],
    ],
    filters: [
      { name: 'state', label: 'State', values: ['active', 'opening', 'opened', 'lapsed'], isFirst: true },
      { name: 'kind', label: 'Kind', values: ['key', 'endpoint', 'container', 'cloud', 'domain'], isFirst: true },
      { name: 'drill', label: 'Drill', values: 'flag', isFirst: true },
    ],
    add: {
      title: 'Block in an emergency',
      path: '/v1/emergency/blocks',
      fields: described(createEmergencyBlock, [
        { name: 'kind', label: 'Kind', initial: 'key' },
        { name: 'target', label: 'What', hint: 'Name of a key, cloud or domain; id of an endpoint or container.' },
        { name: 'reason', label: 'Reason' },
        { name: 'until', label: 'Opens on', hint: 'At most 90 days from now, as that day begins (UTC).' },
        { name: 'drill', label: 'Only a drill' },
        { name: 'callers', label: 'Callers who are refused', hint: 'One on each line.', when: isDrill },
        { name: 'confirmers', label: 'Users who confirm an early opening', hint: 'One on each line.', when: isBlock },
      ]),
    },
    actions: [
      {
        ...{ name: 'open', title: 'Open', done: 'A drill has ended. A block opens once a confirmer confirms.' },
        about: 'Ends a drill. Of a block, asks one of its confirmers to confirm that it opens now.',
        applies: ({ state }) => state === 'active',
        call: ({ id }) => callTo('post', '/v1/emergency/blocks/{id}/open', { path: { id: String(id) } }),
      },
      {
        ...{ name: 'confirm', title: 'Confirm opening', done: 'It is open.' },
        about: 'Opens the block now. Whoever asked for it cannot confirm it.',
        applies: ({ state }) => state === 'opening',
        call: ({ id }) => callTo('post', '/v1/emergency/blocks/{id}/confirm', { path: { id: String(id) } }),
      },
    ],
    below: [
      {
        title: 'Who met it',
        path: '/v1/emergency/blocks/{id}/hits',
        columns: [
          ['caller', 'Caller'],
          ['function', 'Function'],
          ['calls', 'Calls'],
          ['last_at', 'Last'],
        ],
        empty: 'No call has met it.',
      },
    ],
    empty: 'Nothing is or was blocked.',
  },
]
