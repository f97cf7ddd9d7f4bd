import { useState } from 'preact/hooks'
import { callTo } from '../calls.ts'
import { CallForm } from '../forms/call-form.tsx'
import type { FieldRow } from '../forms/fields.ts'
import { Page } from '../shell/page.tsx'
import { AttributeList } from '../words/attributes.tsx'
import { Pill } from '../words/states.tsx'

interface Named {
  readonly kind: string
  readonly id: string
  readonly name: string
}

/** The answer of an inspection. */
interface Inspection {
  readonly recognized: boolean
  readonly kind?: string
  readonly proof?: 'authenticated' | 'header'
  readonly domain?: { readonly name: string }
  readonly endpoint?: Named
  readonly key?: Named
  readonly local_key?: { readonly name: string; readonly version: number; readonly state: string }
  readonly can_be_opened?: boolean
  readonly obstacles?: readonly string[]
  readonly opened_by?: readonly { readonly kind: string; readonly names: readonly string[]; readonly total: number }[]
}

const APART = 'Where the protocol returns it apart, in base64.'
const FIELDS: readonly FieldRow[] = [
  { name: 'ciphertext', label: 'Ciphertext', kind: 'area', isRequired: true, hint: 'In base64, or a JWE.' },
  { name: 'iv', label: 'IV', hint: APART },
  { name: 'tag', label: 'Tag', hint: APART },
  { name: 'metadata', label: 'Metadata', hint: APART },
  { name: 'aad', label: 'Additional data', hint: 'What the caller bound to it, in base64.' },
  { name: 'endpoint', label: 'Endpoint', hint: 'Id or name; all endpoints without it.' },
  { name: 'key', label: 'Local key', hint: 'Id or name; required for an exported key.' },
]

const PROOFS = {
  authenticated: 'The key authenticated it',
  header: 'Only its header names the key',
}

/** Asks which key made a ciphertext, and whether it can be opened now. */
export default function Ciphertexts() {
  const [answer, setAnswer] = useState<Inspection>()
  return (
    <Page title="Ciphertexts">
      <p class="quiet">
        Which key, version and endpoint of your domain made a ciphertext, whether it can be opened now, and by whom. Its
        content is never shown.
      </p>
      <CallForm
        fields={FIELDS}
        call={(body) => callTo('post', '/v1/keymgr/ciphertexts/inspect', { body })}
        changed={() => setAnswer(undefined)}
        submit="Inspect"
        done={(answered) => setAnswer(answered as Inspection)} // type of the described answer
      />
      <div role="status">{answer !== undefined && <Answer {...answer} />}</div>
    </Page>
  )
}

function Answer({ recognized, kind, proof, domain, endpoint, key, local_key: local, ...rest }: Inspection) {
  if (!recognized) return <p>Not recognized: this service makes no such bytes.</p>
  const { can_be_opened: isOpen = false, obstacles = [], opened_by: openers = [] } = rest
  return (
    <section>
      <h2>{kind}</h2>
      <p>
        <Pill tone={isOpen ? 'good' : 'bad'}>{isOpen ? 'Can be opened' : 'Cannot be opened'}</Pill>{' '}
        {obstacles.join(' ')}
      </p>
      <AttributeList
        rows={[
          ['Proof', proof && PROOFS[proof]],
          ['Domain', domain?.name],
          ['Made by', endpoint && `${endpoint.kind} ${endpoint.name}`],
          ['Key', key && `${key.kind} ${key.name}`],
          ['Local key', local && `${local.name}, version ${local.version}, ${local.state}`],
          ...openers.map(
            ({ kind: who, names, total }) =>
              [
                `Opened by: ${who}`,
                names.join(', ') + (names.length < total ? ` and ${total - names.length} more` : ''),
              ] as const,
          ),
        ]}
      />
    </section>
  )
}
