import { callTo } from '../calls.ts'
import { HOME } from '../home.ts'
import type { ResourceRow } from '../resources/row.ts'
import type { CloudRow } from './row.ts'

/** Requests whose work at a cloud is neither finished nor undone. */
export function unfinishedAt({ name, title }: Pick<CloudRow, 'name' | 'title'>): ResourceRow {
  const at = `/v1/keymgr/${name}/unfinished-work` as const
  return {
    ...{ name: `${name}-unfinished`, title: `${title}: unfinished requests`, noun: 'unfinished request' },
    about: 'Requests that were interrupted. Each is finished or undone by itself when the cloud answers again.',
    path: at,
    item: `${at}/{id}`,
    nameBy: 'operation',
    columns: [
      ['state', 'State'],
      ['waits_for', 'Waits for'],
      ['username', 'User'],
      ['createdAt', 'Begun'],
    ],
    filters: [],
    actions: [
      {
        ...{ name: 'give-up', title: 'Give up', done: 'The request is given up.' },
        about: 'Undoes what can be undone. The page then names what is left at the cloud.',
        applies: ({ state }) => state === 'open',
        call: ({ id }) => callTo('post', `${at}/{id}/give-up`, { path: { id: String(id) } }),
      },
    ],
    empty: 'No request is unfinished.',
    next: { title: `See the containers of ${title.toLowerCase()}`, at: `${HOME}containers/${name}` },
  }
}
