import { FilteredList } from '../list/filtered-list.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import type { User } from '../users/actions.ts'
import { UserState } from '../users/state.tsx'
import { UserTabs } from '../users/tabs.tsx'
import { When } from '../words/when.tsx'

const FILTERS: readonly FilterRow[] = [
  { name: 'username', label: 'User name', values: 'text', isFirst: true },
  { name: 'name', label: 'Full name', values: 'text', isFirst: true },
  { name: 'email', label: 'E-mail', values: 'text', isFirst: true },
  { name: 'groups', label: 'In the group', values: 'text' },
  { name: 'exclude_groups', label: 'Not in the group', values: 'text' },
  { name: 'connection', label: 'Logs in by', values: 'text' },
]

const hrefOf = ({ user_id }: User): string => `${HOME}users/${encodeURIComponent(user_id)}`

const COLUMNS: readonly Column<User>[] = [
  {
    ...{ title: 'User name', width: 'minmax(8rem, 2fr)', onPhone: true },
    cell: (user) => <a href={hrefOf(user)}>{user.username}</a>,
  },
  { title: 'State', width: '7rem', onPhone: true, cell: (user) => <UserState user={user} /> },
  { title: 'Full name', width: 'minmax(8rem, 2fr)', cell: ({ name }) => name },
  { title: 'E-mail', width: 'minmax(8rem, 2fr)', cell: ({ email }) => email },
  { title: 'Logs in by', width: 'minmax(7rem, 1fr)', cell: ({ connection }) => connection },
  { title: 'Last log-in', width: '9rem', cell: ({ last_login }) => <When time={last_login} /> },
]

export default function Users() {
  return (
    <Page
      title="Users"
      actions={
        <a class="button main" href={`${HOME}users/add`}>
          Add a user
        </a>
      }
    >
      <UserTabs here="Users" />
      <FilteredList
        name="users"
        noun="user"
        filters={FILTERS}
        load={(query, signal) => read('/v1/usermgmt/users', { query, signal })}
        columns={COLUMNS}
        idOf={({ user_id }) => user_id}
        hrefOf={hrefOf}
        none={
          <>
            There is no user. <a href={`${HOME}users/add`}>Add a user</a>
          </>
        }
      />
    </Page>
  )
}
