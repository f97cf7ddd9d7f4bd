import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { Actions } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { firstOf, keymgr } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { join, leave, USER_ACTIONS, type User } from '../users/actions.ts'
import { Members } from '../users/members.tsx'
import { UserState } from '../users/state.tsx'
import { Attributes } from '../words/attributes.tsx'
import { Failed, Loading } from '../words/states.tsx'

/** One user: attributes, and the groups that determine the user's rights. */
export default function UserPage() {
  const { id: user_id = '' } = useRoute().params
  const { data, error, refetch } = useQuery({
    queryKey: ['user', user_id],
    queryFn: ({ signal }) => keymgr.get('/v1/usermgmt/users/{user_id}', { path: { user_id }, signal }),
  })
  const above = <a href={`${HOME}users`}>Users</a>
  if (data === undefined)
    return (
      <Page title="User" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={data.username} above={above} actions={<UserActions user={data} />}>
      <p class="facts">
        <UserState user={data} /> {data.name}
      </p>
      <div class="columns even">
        <Attributes
          rows={[
            ['E-mail', data.email],
            ['Logs in by', data.connection],
            ['Methods', data.allowed_auth_methods.join(', ')],
            ['Certificate subject', data.certificate_subject_dn],
            ['May log in to pages', data.login_flags.prevent_ui_login ? 'No' : 'Yes'],
            ['Password policy', data.password_policy],
            ['Password changed', data.password_changed_at],
            ['Must change the password', data.password_change_required ? 'Yes' : 'No'],
            ['Last log-in', data.last_login],
            ['Last failed log-in', data.last_failed_login_at],
            ['Log-ins', String(data.logins_count)],
            ['Failed since the last', String(data.failed_logins_count)],
            ['Created', data.created_at],
            ['Id', data.user_id],
          ]}
        />
        <Groups user={data} />
      </div>
    </Page>
  )
}

function UserActions({ user }: { readonly user: User }) {
  const { route } = useLocation()
  return (
    <Actions
      actions={USER_ACTIONS}
      of={user}
      done={({ name }) => {
        if (name === 'delete') route(`${HOME}users`)
      }}
    />
  )
}

const all = async (query: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
  (await firstOf('/v1/usermgmt/groups', query, signal)).resources

function Groups({ user: { user_id, username } }: { readonly user: User }) {
  const { data, error } = useQuery({
    queryKey: ['groups-of', user_id],
    queryFn: ({ signal }) => all({ users: [user_id] }, signal),
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading what="Loading the groups" />
  const names = new Set(data.map(({ name }) => name))
  return (
    <Members
      title="Groups"
      noun="group"
      label={`Group to add ${username} to`}
      members={data.map(({ name }) => ({
        ...{ id: name, title: name },
        href: `${HOME}users/groups/${encodeURIComponent(name)}`,
      }))}
      choices={async () => (await all({})).filter(({ name }) => !names.has(name)).map(({ name }) => ({ value: name }))}
      add={(name) => join(name, user_id)}
      remove={(name) => leave(name, user_id)}
      none={
        <>
          The user is in no group, and may do little. Groups give permissions:{' '}
          <a href={`${HOME}users/groups`}>all groups</a>
        </>
      }
    />
  )
}
