import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { CallForm } from '../../forms/call-form.tsx'
import type { PastCalls } from '../../protocols/row.ts'
import { keymgr } from '../../service.ts'
import { count, counted } from '../../words/numbers.ts'
import { absoluteOf } from '../../words/when.tsx'

type Replayed = AnswerOf<'post', '/v1/keymgr/WorkspaceCSE/endpoints/{id}/perimeters/replay'>

/** Changed decisions that are named. */
const NAMED = 20

interface ReplayProps {
  readonly past: PastCalls<unknown>
  readonly endpoint: unknown
  /** the text of the editor, where it is not the policy as it is */
  readonly rego: string | undefined
  readonly placing: <T>(sent: Promise<T>) => Promise<T>
}

/** Decisions of the text on the calls of the past days. */
export function Replay({ past, endpoint, rego, placing }: ReplayProps) {
  const [found, setFound] = useState<Replayed>()
  return (
    <section class="card">
      <h2>Replay past calls</h2>
      <p class="quiet">Decides the calls that are on record again, by the text as it stands here. Nothing is stored.</p>
      <CallForm
        fields={[{ name: 'days', label: 'Days', kind: 'number', isRequired: true, initial: '7', min: 1 }]}
        call={({ days }) => past.replay(endpoint, rego, Number(days ?? 1))}
        run={({ method, path, init }) => placing(keymgr.request(method, path, init).then(({ body }) => body))}
        submit="Replay"
        done={(answer) => setFound(answer as Replayed)} // as the description says
      />
      <div role="status">{found !== undefined && <Found found={found} />}</div>
    </section>
  )
}

function Found({ found: { calls, would_allow, would_refuse, complete, changes } }: { readonly found: Replayed }) {
  return (
    <div class={would_refuse > 0 ? 'decision refused' : 'decision allowed'}>
      <p>
        Of {counted(calls, 'call')}, {count(would_allow)} would be allowed that were refused, and {count(would_refuse)}{' '}
        refused that were allowed.{!complete && ' Not all calls were looked at.'}
      </p>
      <ul class="plain-list">
        {changes.slice(0, NAMED).map(({ record_id, at, operation, email, was, would_be }) => (
          <li key={record_id}>
            {absoluteOf(at)}: {operation} by {email ?? 'an unknown user'}, {was} then, {would_be} now
          </li>
        ))}
      </ul>
    </div>
  )
}
