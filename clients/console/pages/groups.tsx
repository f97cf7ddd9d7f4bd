import { FilteredList } from '../list/filtered-list.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import type { Group } from '../users/actions.ts'
import { UserTabs } from '../users/tabs.tsx'
import { count } from '../words/numbers.ts'
import { When } from '../words/when.tsx'

const FILTERS: readonly FilterRow[] = [
  { name: 'name', label: 'Name', values: 'text', isFirst: true },
  { name: 'users', label: 'With the user (id)', values: 'text' },
  { name: 'clients', label: 'With the client (id)', values: 'text' },
]

const hrefOf = ({ name }: Group): string => `${HOME}users/groups/${encodeURIComponent(name)}`

const COLUMNS: readonly Column<Group>[] = [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 1fr)', onPhone: true },
    cell: (group) => <a href={hrefOf(group)}>{group.name}</a>,
  },
  { title: 'Users', width: '6rem', onPhone: true, cell: ({ users_count }) => count(users_count) },
  { title: 'Description', width: 'minmax(9rem, 2fr)', cell: ({ description }) => description },
  { title: 'Created', width: '9rem', cell: ({ created_at }) => <When time={created_at} /> },
]

export default function Groups() {
  return (
    <Page
      title="Users"
      actions={
        <a class="button main" href={`${HOME}users/groups/add`}>
          Add a group
        </a>
      }
    >
      <UserTabs here="Groups" />
      <FilteredList
        name="groups"
        noun="group"
        filters={FILTERS}
        load={(query, signal) => read('/v1/usermgmt/groups', { query, signal })}
        columns={COLUMNS}
        idOf={({ name }) => name}
        hrefOf={hrefOf}
        none={
          <>
            There is no group. <a href={`${HOME}users/groups/add`}>Add a group</a>
          </>
        }
      />
    </Page>
  )
}
