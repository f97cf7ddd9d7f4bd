import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { CallForm } from '../../forms/call-form.tsx'
import { callTo } from '../../calls.ts'
import type { ReplayProps } from '../row.ts'
import { keymgr } from '../../service.ts'
import { count, counted } from '../../words/numbers.ts'
import { absoluteOf } from '../../words/when.tsx'

const AT = '/v1/keymgr/WorkspaceCSE/endpoints/{id}/perimeters/replay'
type Replayed = AnswerOf<'post', typeof AT>

/** Maximum number of changed decisions in the list. */
const NAMED = 20

/** Applies the text to the calls of the past days. */
export function Replay({ endpoint: { id }, rego: perimeter, placing }: ReplayProps<{ readonly id: string }>) {
  const [found, setFound] = useState<Replayed>()
  return (
    <section class="card">
      <h2>Replay past calls</h2>
      <p class="quiet">Decides the calls that are on record again, by the text as it stands here. Nothing is stored.</p>
      <CallForm
        fields={[{ name: 'days', label: 'Days', kind: 'number', isRequired: true, initial: '7', min: 1 }]}
        call={({ days = 1 }) =>
          callTo('post', AT, { path: { id }, body: { days, ...(perimeter !== undefined && { perimeter }) } })
        }
        run={({ method, path, init }) => placing(keymgr.request(method, path, init).then(({ body }) => body))}
        submit="Replay"
        done={(answer) => setFound(answer as Replayed)} // type of the described answer
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
