/** Forms of connections, and the calls that they make. */
import { callTo, type Call } from '../calls.ts'
import { changesOf, filledFrom } from '../forms/changes.ts'
import { isSecret, type FieldRow, type Values } from '../forms/fields.ts'
import type { Connection, ConnectionRow, Way } from './row.ts'

type Body = Record<string, unknown>

/** The field that selects a way. It is not part of any body. */
const WAY = 'way'

const NAME: FieldRow = {
  ...{ name: 'name', label: 'Name', isRequired: true },
  hint: 'The name of this connection here. It cannot be changed later.',
}

const wayNamed = ({ ways }: ConnectionRow, title: unknown): Way | undefined =>
  ways.find((each) => each.title === title) ?? ways[0]

/** The way that an existing connection uses. */
export const wayOf = ({ ways }: ConnectionRow, connection: Connection): Way | undefined =>
  ways.find(({ isOf }) => isOf?.(connection) ?? true)

const choiceOf = (ways: readonly Way[]): readonly FieldRow[] =>
  ways.length < 2
    ? []
    : [
        {
          ...{ name: WAY, label: 'How the service proves its identity', isRequired: true },
          choices: ways.map(({ title }) => ({ value: title })),
          initial: ways[0]?.title ?? '',
        },
      ]

/** The fields of a new connection: only those of the selected way are shown. */
export const newFields = ({ fields, ways, rest }: ConnectionRow): readonly FieldRow[] => [
  NAME,
  ...fields,
  ...choiceOf(ways),
  ...ways.flatMap(({ title, fields: own }) =>
    own.map((field) => (ways.length < 2 ? field : { ...field, when: (values: Values) => values[WAY] === title })),
  ),
  ...rest,
]

/** The body of a new connection. */
const newBody = (row: ConnectionRow, { [WAY]: title, ...body }: Body): Body => ({
  ...body,
  ...wayNamed(row, title)?.adds,
})

/** Whether the credentials of a body are made when it is saved. */
export const isMadeHere = (row: ConnectionRow, body: Body): boolean => wayNamed(row, body[WAY])?.isMadeHere === true

export const createCall = (row: ConnectionRow, body: Body): Call =>
  callTo('post', `/v1/connectionmgmt/services/${row.service}/connections`, { body: newBody(row, body) })

/** Tests a connection that is not stored, so that it has no name. */
export function testNewCall(row: ConnectionRow, { name: _, ...body }: Body): Call {
  return callTo('post', `/v1/connectionmgmt/services/${row.service}/connection-test`, { body: newBody(row, body) })
}

export const testCall = ({ service }: ConnectionRow, id: string): Call =>
  callTo('post', `/v1/connectionmgmt/services/${service}/connections/{id}/test`, { path: { id }, body: {} })

/** The fields of an existing connection. Secrets are empty, and stay unless they are entered again. */
export function changeFields(row: ConnectionRow, connection: Connection): readonly FieldRow[] {
  const fields = [...row.fields, ...(wayOf(row, connection)?.fields ?? []), ...row.rest]
  return filledFrom(fields, connection).map((field) =>
    isSecret(field) ? { ...field, isRequired: false, hint: 'Stays as it is where this is left empty.' } : field,
  )
}

export const changeCall = (row: ConnectionRow, connection: Connection, body: Body): Call =>
  callTo('patch', `/v1/connectionmgmt/services/${row.service}/connections/{id}`, {
    path: { id: connection.id },
    body: changesOf(changeFields(row, connection), body),
  })

/** Attributes of a connection: what its fields contain. */
export const attributesOf = (row: ConnectionRow, connection: Connection): readonly (readonly [string, string])[] =>
  changeFields(row, connection)
    .filter((field) => !isSecret(field))
    .map(({ label, initial = '' }) => [label, initial])
