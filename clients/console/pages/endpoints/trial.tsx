import { useState } from 'preact/hooks'
import type { FieldRow } from '../../forms/fields.ts'
import { CallForm } from '../../forms/call-form.tsx'
import type { Decision, PolicyRow } from '../../endpoints/row.ts'
import { keymgr } from '../../service.ts'
import { Pill } from '../../words/states.tsx'

interface TrialProps {
  readonly row: PolicyRow<unknown>
  readonly endpoint: unknown
  /** the text in the editor, if it differs from the policy */
  readonly rego: string | undefined
  readonly placing: <T>(sent: Promise<T>) => Promise<T>
  /** shows a line of the text, or the first line of a rule */
  readonly show: (place: number | string) => void
}

const MODES = ['Form', 'JSON'] as const
type Mode = (typeof MODES)[number]

/** Tries the text on an input without storing it. */
export function Trial({ row, endpoint, rego, placing, show }: TrialProps) {
  const [mode, setMode] = useState<Mode>('Form')
  const [decision, setDecision] = useState<Decision>()
  const asJson: FieldRow = {
    ...{ name: 'input', label: 'Input', kind: 'json', isRequired: true },
    initial: JSON.stringify(row.example, undefined, 2),
  }
  return (
    <section>
      <h2>Try it</h2>
      <p class="quiet">Decides an input by the text as it stands here. Nothing is stored.</p>
      <fieldset class="modes">
        <legend class="unseen">Input as</legend>
        {MODES.map((each) => (
          <label key={each}>
            <input type="radio" name="mode" checked={each === mode} onChange={() => setMode(each)} /> {each}
          </label>
        ))}
      </fieldset>
      <CallForm
        key={mode}
        fields={mode === 'JSON' ? [asJson] : row.input}
        call={({ input = {} }) => row.test(endpoint, rego, input)}
        run={({ method, path, init }) => {
          setDecision(undefined)
          return placing(keymgr.request(method, path, init).then(({ body }) => body))
        }}
        submit="Try"
        done={(answer) => setDecision(answer as Decision)} // type of the described answer
      />
      <div role="status">{decision !== undefined && <Decided decision={decision} show={show} />}</div>
    </section>
  )
}

function Decided({ decision, show }: { readonly decision: Decision; readonly show: TrialProps['show'] }) {
  const {
    allowed,
    error,
    decided_by: { rule, line },
  } = decision
  return (
    <div class={allowed ? 'decision allowed' : 'decision refused'}>
      <p>
        <Pill tone={allowed ? 'good' : 'bad'}>{allowed ? 'Allowed' : 'Refused'}</Pill>{' '}
        {error === undefined ? (
          <>
            by the rule <code>{rule}</code>
          </>
        ) : (
          <>
            because the policy gave no answer: <code>{error.code}</code>
          </>
        )}
      </p>
      {error === undefined && (
        <button type="button" class="plain" onClick={() => show(line ?? rule)}>
          Show {line === undefined ? 'the rule' : `line ${line}`}
        </button>
      )}
    </div>
  )
}
