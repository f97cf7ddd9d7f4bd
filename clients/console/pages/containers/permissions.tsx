import { useQuery } from '@tanstack/preact-query'
import { useId, useState } from 'preact/hooks'
import { callTo, type Call } from '../../calls.ts'
import type { PermissionsRow } from '../../clouds/containers.ts'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { Choice, FieldRow } from '../../forms/fields.ts'
import { HOME } from '../../home.ts'
import { firstOf } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'
import { Reference } from '../../words/reference.tsx'
import { Empty, Failed, Loading } from '../../words/states.tsx'

/** The permitted actions of one user or group in a container. */
interface Permission {
  readonly user_id?: string
  readonly group?: string
  readonly actions: readonly string[]
}

interface PermissionsProps {
  readonly id: string
  /** title of the container */
  readonly name: string
  /** a container of any cloud: all have the same `acls` */
  readonly container: unknown
  readonly permissions: () => Promise<PermissionsRow>
}

/** Shows the permissions of users and groups in a container, and changes them. */
export function Permissions({ id, name, container, permissions }: PermissionsProps) {
  const { acls = [] } = container as { readonly acls?: readonly Permission[] }
  const { data, error } = useQuery({
    queryKey: ['permissions in', id],
    queryFn: permissions,
    staleTime: Infinity,
  })
  const [asked, setAsked] = useState<Permission>()
  return (
    <section class="card">
      <h2>Permissions</h2>
      <p class="quiet">
        Members of keymgr Admins may do everything, members of keymgr Users what is permitted to them here.
      </p>
      {acls.length === 0 ? (
        <Empty>Nothing is permitted to anybody else.</Empty>
      ) : (
        <Table acls={acls} change={setAsked} />
      )}
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <button type="button" onClick={() => setAsked({ actions: [] })}>
          Permit
        </button>
      )}
      {data !== undefined && asked !== undefined && (
        <PermitDialog key={whoOf(asked)} {...{ id, name, asked }} row={data} close={() => setAsked(undefined)} />
      )}
    </section>
  )
}

const whoOf = ({ user_id, group }: Permission): string => group ?? user_id ?? ''

interface TableProps {
  readonly acls: readonly Permission[]
  readonly change: (permission: Permission) => void
}

function Table({ acls, change }: TableProps) {
  const id = useId()
  return (
    <div class="scrolled" role="region" aria-label="Permissions" tabIndex={0}>
      <table class="below">
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col">May</th>
            <th scope="col">
              <span class="unseen">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {acls.map((permission, at) => (
            <tr key={whoOf(permission)}>
              <td id={`${id}-who-${at}`}>
                {permission.group === undefined ? (
                  <Reference member="user_id" id={permission.user_id ?? ''} />
                ) : (
                  <a href={`${HOME}users/groups/${encodeURIComponent(permission.group)}`}>{permission.group}</a>
                )}
              </td>
              <td>{permission.actions.join(', ')}</td>
              <td>
                <button
                  type="button"
                  id={`${id}-change-${at}`}
                  aria-labelledby={`${id}-change-${at} ${id}-who-${at}`}
                  onClick={() => change(permission)}
                >
                  Change
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const groups = async (): Promise<readonly Choice[]> =>
  (await firstOf('/v1/usermgmt/groups')).resources.map(({ name }) => ({ value: name }))
const users = async (): Promise<readonly Choice[]> =>
  (await firstOf('/v1/usermgmt/users')).resources.map(({ user_id, username }) => ({ value: user_id, label: username }))

const GROUP = 'group'
const USER = 'user'

/** The fields of a new entry, which name the user or group. */
const NEW: readonly FieldRow[] = [
  {
    ...{ name: 'kind', label: 'To', isRequired: true, initial: GROUP },
    choices: [
      { value: GROUP, label: 'A group' },
      { value: USER, label: 'A user' },
    ],
  },
  { name: 'group', label: 'Group', isRequired: true, choices: groups, when: ({ kind }) => kind === GROUP },
  { name: 'user_id', label: 'User', isRequired: true, choices: users, when: ({ kind }) => kind === USER },
]

/** The values of the form: the user or group of a new entry, and the ticked actions. */
interface Filled {
  readonly group?: string
  readonly user_id?: string
  readonly may?: Readonly<Record<string, true>>
}

interface DialogProps extends Pick<PermissionsProps, 'id' | 'name'> {
  /** the present permissions; empty for a new entry */
  readonly asked: Permission
  readonly row: PermissionsRow
  readonly close: () => void
}

function PermitDialog({ id, name, asked, row, close }: DialogProps) {
  const { actions: now, ...who } = asked
  const isNew = whoOf(asked) === ''
  const call = (filled: Filled): Call => {
    const { may = {}, group, user_id } = filled
    const of = isNew ? { ...(group !== undefined && { group }), ...(user_id !== undefined && { user_id }) } : who
    const added = row.actions.filter((action) => may[action] === true && !now.includes(action))
    const removed = row.actions.filter((action) => may[action] !== true && now.includes(action))
    const acls = [
      { ...of, permit: true, actions: added },
      { ...of, permit: false, actions: removed },
    ].filter(({ actions }) => actions.length > 0)
    return callTo('post', row.path, { path: { id }, body: { acls } })
  }
  return (
    <CallDialog
      title={isNew ? `Permit in ${name}` : `Change what is permitted in ${name}`}
      about="An action comes with the permission to view what it is about. Without any action, the entry is removed."
      fields={[
        ...(isNew ? NEW : []),
        ...row.actions.map((action): FieldRow => ({
          ...{ name: `may/${action}`, label: action, kind: 'flag' },
          ...(now.includes(action) && { initial: 'true' }),
        })),
      ]}
      call={call}
      submit={isNew ? 'Permit' : 'Save'}
      close={close}
      done={() => tell('The permissions are changed.')}
    />
  )
}
