import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { save, type SavedFile } from '../../forms/files.ts'
import { keymgr, read } from '../../service.ts'
import { Drawer } from '../../shell/drawer.tsx'
import { AttributeList, type AttributeRow } from '../../words/attributes.tsx'
import { Failed, Loading, Pill } from '../../words/states.tsx'
import { absoluteOf } from '../../words/when.tsx'
import { isIncluded, type Proof } from './inclusion.ts'
import { pageOf } from './places.ts'

export type AuditRecord = AnswerOf<'get', '/v1/audit/records/{id}'>
/** Lists of records: calls of users and programs to this service, and uses of keys by clouds. */
export type RecordsOf = 'records' | 'client-records'

/** Members of the details that have a presentation of their own. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['action', 'resource_uri', 'resource_name', 'before', 'after'],
])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const rowsOf = (record: AuditRecord): readonly AttributeRow[] => [
  ['When', absoluteOf(record.createdAt)],
  ['User', record.username],
  ['Groups', record.principal.groups.join(', ')],
  ['Address', record.clientIP],
  ['Call', <code key="call">{record.details.action}</code>],
  ['Resource', <Resource key="resource" record={record} />],
  ['Severity', record.severity],
  ['Reason', record.errorMessage],
  ...Object.entries(record.details).flatMap(([name, value]): AttributeRow[] =>
    SHOWN_ELSEWHERE.has(name) ? [] : [[name, textOf(value)]],
  ),
  ['Request', record.requestId],
  ['Domain', record.domain],
  ['Id', record.id],
]

function Resource({ record: { details } }: { readonly record: AuditRecord }) {
  const { resource_uri, resource_name, action } = details
  if (resource_uri === undefined) return <span class="quiet">–</span>
  const page = pageOf(resource_uri, action)
  const name = resource_name ?? resource_uri
  return page === undefined ? <>{name}</> : <a href={page}>{name}</a>
}

interface RecordDrawerProps {
  readonly of: RecordsOf
  readonly id: string
  readonly close: () => void
}

/** One record with all its members. */
export function RecordDrawer({ of, id, close }: RecordDrawerProps) {
  const { data, error } = useQuery({
    queryKey: ['audit record', of, id],
    queryFn: ({ signal }) => read(`/v1/audit/${of}/{id}`, { path: { id }, signal }),
  })
  return (
    <Drawer title={data === undefined ? 'Record' : <Title {...data} />} close={close}>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the record" />}
      {data !== undefined && <Content of={of} record={data} />}
    </Drawer>
  )
}

const Title = ({ message, success }: AuditRecord) => (
  <>
    {message} <Pill tone={success ? 'good' : 'bad'}>{success ? 'Succeeded' : 'Refused'}</Pill>
  </>
)

function Content({ of, record }: { readonly of: RecordsOf; readonly record: AuditRecord }) {
  const { before, after } = record.details
  return (
    <>
      <AttributeList rows={rowsOf(record)} />
      {before !== undefined && <Json title="Before" value={before} />}
      {after !== undefined && <Json title="After" value={after} />}
      {of === 'records' && <Evidence record={record.id} />}
    </>
  )
}

function Json({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <section>
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title} class="json">
        {JSON.stringify(value, undefined, 2)}
      </pre>
    </section>
  )
}

const jsonFile = (name: string, value: unknown): SavedFile => ({
  ...{ name, type: 'application/json', text: JSON.stringify(value, undefined, 2) },
})

/** Saves the public keys of the service, which sign the heads of the log. */
async function saveKeys(): Promise<void> {
  save(jsonFile('audit-heads.jwks.json', await keymgr.get('/v1/audit/heads/jwks.json')))
}

/** Whether the record is in the tree of all records. The browser verifies the proof. */
function Evidence({ record }: { readonly record: string }) {
  const [found, setFound] = useState<{ readonly proof: Proof; readonly isIn: boolean }>()
  const [error, setError] = useState<unknown>()
  const prove = async (): Promise<void> => {
    try {
      const proof = await keymgr.get('/v1/audit/proofs/inclusion', { query: { record } })
      setFound({ proof, isIn: await isIncluded(proof) })
    } catch (fault) {
      setError(fault)
    }
  }
  return (
    <section class="evidence">
      {error !== undefined && <Failed error={error} />}
      <div role="status">
        {found !== undefined && (
          <p>
            <Pill tone={found.isIn ? 'good' : 'bad'}>{found.isIn ? 'Proved' : 'Not proved'}</Pill>{' '}
            {found.isIn
              ? `It is record ${found.proof.position + 1} of ${found.proof.tree.size} below the root ${found.proof.tree.root.slice(0, 16)} …`
              : 'The path of the proof does not lead to the root of the tree.'}
          </p>
        )}
      </div>
      {found !== undefined && (
        <div class="buttons">
          <button type="button" onClick={() => save(jsonFile(`${record}.proof.json`, found.proof))}>
            Save the proof
          </button>
          <button type="button" onClick={() => void saveKeys().catch(setError)}>
            Save the keys that check it
          </button>
          <p class="quiet">
            <code>keymgr-verify proof {record}.proof.json --key audit-heads.jwks.json</code> checks it without network.
          </p>
        </div>
      )}
      {found === undefined && (
        <button type="button" onClick={() => void prove()}>
          Prove that it is unchanged
        </button>
      )}
    </section>
  )
}
