import { useQuery } from '@tanstack/preact-query'
import { callTo } from '../calls.ts'
import { Actions, type Action } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { labelOf, membersOf, shownOf } from '../resources/shown.ts'
import { keymgr } from '../service.ts'
import { Page } from '../shell/page.tsx'
import type { components } from '../../sdk/api.d.ts'
import { Attributes } from '../words/attributes.tsx'
import { Empty, Failed, Loading } from '../words/states.tsx'

type Self = components['schemas']['Self']

const ACTIONS: readonly Action<Self>[] = [
  {
    ...{ name: 'password', title: 'Change the password', done: 'The password is changed.' },
    about: 'The new password must follow the rule on this page.',
    fields: [
      { name: 'password', label: 'Present password', kind: 'secret', isRequired: true },
      { name: 'new_password', label: 'New password', kind: 'secret', isRequired: true },
    ],
    applies: ({ allowed_auth_methods: methods }) => methods.includes('password'),
    call: ({ username }, body) => callTo('patch', '/v1/auth/changepw', { body: { username, ...body } }),
  },
  {
    ...{
      name: 'edit',
      title: 'Edit',
      submit: 'Save',
      done: 'Your data are changed.',
      about: 'Changes your name and e-mail.',
    },
    fieldsFor: ({ name, email }) => [
      { name: 'name', label: 'Full name', initial: name ?? '' },
      { name: 'email', label: 'E-mail', initial: email ?? '' },
    ],
    applies: () => true,
    call: (_, body) => callTo('patch', '/v1/auth/self/user', { body }),
  },
]

/** The user who is logged in: groups, domains, and the rule for passwords. */
export default function Me() {
  const self = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/user', { signal }),
    staleTime: Infinity,
  })
  const { data, error } = self
  if (data === undefined) return <Page title="You">{error === null ? <Loading /> : <Failed error={error} />}</Page>
  return (
    <Page title="You" actions={<Actions actions={ACTIONS} of={data} main="password" />}>
      <div class="columns even">
        <div>
          <Attributes
            rows={[
              ['User name', data.username],
              ['Full name', data.name],
              ['E-mail', data.email],
              ['Last log-in', data.last_login],
              ['Password changed', data.password_changed_at],
              ['Id', data.user_id],
            ]}
          />
          <Groups groups={data.groups ?? []} />
        </div>
        <div>
          <Domains />
          <PasswordRule />
        </div>
      </div>
    </Page>
  )
}

function Groups({ groups }: { readonly groups: readonly string[] }) {
  return (
    <section>
      <h2>Groups</h2>
      {groups.length === 0 && <Empty>You are in no group.</Empty>}
      <ul class="plain-list">
        {groups.map((name) => (
          <li key={name}>
            <a href={`${HOME}users/groups/${encodeURIComponent(name)}`}>{name}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Domains() {
  const { data, error } = useQuery({
    queryKey: ['own-domains'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/domains', { query: { limit: 100 }, signal }),
  })
  return (
    <section>
      <h2>Domains</h2>
      {error !== null && <Failed error={error} />}
      <ul class="plain-list">
        {data?.resources.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </section>
  )
}

function PasswordRule() {
  const { data, error } = useQuery({
    queryKey: ['own-password-rule'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/pwdpolicy', { signal }),
  })
  if (data === undefined) return error === null ? <Loading /> : <Failed error={error} />
  return (
    <Attributes
      title="Rule for passwords"
      rows={membersOf({ ...data }).map(([member, value]) => [labelOf(member), shownOf(value)])}
    />
  )
}
