import { callTo } from '../../calls.ts'
import { described, type Choice } from '../../forms/fields.ts'
import { HOME } from '../../home.ts'
import { byName, change, deletion, type Resource, type ResourceRow } from '../../resources/row.ts'
import { read } from '../../service.ts'
import { createDatacustDynamicReference } from './described.ts'

const REFERENCES = '/v1/keymgr/datacust/dkr'

/** Keys that the cloud has, to choose from. */
const keys = async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/keymgr/datacust/keys', { query: { gone: false, limit: 1000 } })
  return resources.map(({ id: value, datacust_group_name: group, datacust_param: { name } }) => ({
    value,
    label: `${name}, in ${group}`,
  }))
}

const idOf = ({ id }: Resource): string => String(id)
const isThere = ({ gone }: Resource): boolean => gone !== true

/** Names under which applications use keys of groups. */
export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'datacust-references', title: 'Datacust dynamic references', noun: 'dynamic reference' },
    about: 'Names under which applications use keys of groups, so that a key can be exchanged for another one.',
    path: REFERENCES,
    item: `${REFERENCES}/{id}`,
    columns: [
      ['datacust_group_name', 'Group'],
      ['key_name', 'Key'],
      ['allow_underlying_key_exchange', 'Its key can be exchanged'],
      ['gone', 'Gone'],
    ],
    filters: [byName(), { name: 'group', label: 'Group', values: 'text', isFirst: true }],
    add: {
      title: 'Make a dynamic reference',
      path: REFERENCES,
      fields: described(createDatacustDynamicReference, [
        { name: 'name', label: 'Name', hint: 'Two or more letters, digits and spaces.' },
        { name: 'key_id', label: 'Key', choices: keys },
        { name: 'allow_underlying_key_exchange', label: 'Its key can be exchanged' },
      ]),
    },
    actions: [
      change(`${REFERENCES}/{id}`, 'dynamic reference', [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'key_id', label: 'Key', choices: keys, hint: 'Of the same group, type and operations.' },
      ]),
      {
        ...{ name: 'refresh', title: 'Refresh', done: 'The dynamic reference is read again.' },
        about: 'Reads the dynamic reference from the cloud.',
        applies: () => true,
        call: (of) => callTo('post', `${REFERENCES}/{id}/refresh`, { path: { id: idOf(of) } }),
      },
      {
        ...{ name: 'delete-there', title: 'Delete at the cloud', done: 'The reference is deleted.' },
        about: 'Applications can no longer use the key by this name.',
        applies: isThere,
        call: (of) => callTo('post', `${REFERENCES}/{id}/delete`, { path: { id: idOf(of) } }),
      },
      deletion(`${REFERENCES}/{id}`, 'dynamic reference', {
        about: 'Removes the record of a dynamic reference that the cloud no longer has.',
      }),
    ],
    empty: 'No dynamic reference is known.',
  },
  {
    ...{ name: 'datacust-applications', title: 'Datacust applications', noun: 'application' },
    about: 'Applications that may use keys of groups.',
    path: '/v1/keymgr/datacust/applications',
    columns: [['group_id', 'Id of the group']],
    filters: [byName(), { name: 'group', label: 'Group', values: 'text', isFirst: true }],
    actions: [],
    empty: 'No application is known. They are read with the keys of a group.',
    next: { title: 'See the groups', at: `${HOME}containers/datacust` },
  },
]
