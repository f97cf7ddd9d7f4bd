import { textIn } from '../answers.ts'
import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { Actions } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { firstOf, keymgr, read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { GROUP_ACTIONS, join, leave, type Group } from '../users/actions.ts'
import { Members } from '../users/members.tsx'
import { Attributes } from '../words/attributes.tsx'
import { Failed, Loading } from '../words/states.tsx'

/** Maximum number of members that are shown; the list of users has all. */
const SHOWN = 200

/** One group and its members. */
export default function GroupPage() {
  const { name = '' } = useRoute().params
  const { data, error, refetch } = useQuery({
    queryKey: ['group', name],
    queryFn: ({ signal }) => keymgr.get('/v1/usermgmt/groups/{name}', { path: { name }, signal }),
  })
  const above = <a href={`${HOME}users/groups`}>Groups</a>
  if (data === undefined)
    return (
      <Page title="Group" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={data.name} above={above} actions={<GroupActions group={data} />}>
      <p class="facts">{data.description}</p>
      <div class="columns even">
        <Users group={data} />
        <Attributes
          rows={[
            ['Users', String(data.users_count)],
            ['Created', data.created_at],
            ['Changed', data.updated_at],
          ]}
        />
      </div>
    </Page>
  )
}

function GroupActions({ group }: { readonly group: Group }) {
  const { route } = useLocation()
  return (
    <Actions
      actions={GROUP_ACTIONS}
      of={group}
      done={({ name }, answer) => {
        const now = textIn(answer, 'name') // present after a change
        if (name === 'delete') route(`${HOME}users/groups`)
        else if (now !== undefined && now !== group.name) route(`${HOME}users/groups/${encodeURIComponent(now)}`)
      }}
    />
  )
}

const usersOf = async (query: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
  (await read('/v1/usermgmt/users', { query, ...(signal && { signal }) })).resources

function Users({ group: { name, users_count } }: { readonly group: Group }) {
  const { data, error } = useQuery({
    queryKey: ['users-of', name],
    queryFn: ({ signal }) => usersOf({ groups: [name], limit: SHOWN }, signal),
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading what="Loading the users" />
  return (
    <div>
      <Members
        title="Users"
        noun="user"
        label={`User to add to ${name}`}
        members={data.map(({ user_id, username }) => ({
          ...{ id: user_id, title: username },
          href: `${HOME}users/${encodeURIComponent(user_id)}`,
        }))}
        choices={async () =>
          (await firstOf('/v1/usermgmt/users', { exclude_groups: [name] })).resources.map(({ user_id, username }) => ({
            value: user_id,
            label: username,
          }))
        }
        add={(user_id) => join(name, user_id)}
        remove={(user_id) => leave(name, user_id)}
        none={
          <>
            No user is in the group. Add one above, or <a href={`${HOME}users/add`}>make a user</a>.
          </>
        }
      />
      {users_count > data.length && (
        <p>
          <a href={`${HOME}users?groups=${encodeURIComponent(name)}`}>All {users_count} users</a>
        </p>
      )}
    </div>
  )
}
