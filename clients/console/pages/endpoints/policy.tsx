import { useQuery } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Call } from '../../calls.ts'
import { CallForm } from '../../forms/call-form.tsx'
import type { PolicyRow, PolicyText, ReplayProps } from '../../endpoints/row.ts'
import { send } from '../../service.ts'
import { Later } from '../../shell/later.tsx'
import { tell } from '../../shell/toasts.tsx'
import { Failed, Loading } from '../../words/states.tsx'
import { RegoEditor, goTo, regoFaults, type RegoFault } from './rego-editor.tsx'
import { Trial } from './trial.tsx'

interface PolicyProps {
  readonly row: PolicyRow<unknown>
  readonly id: string
  readonly endpoint: unknown
}

/** The policy of an endpoint: its text and its decisions. */
export function Policy({ row, id, endpoint }: PolicyProps) {
  const { data, error } = useQuery({
    queryKey: ['policy', id],
    queryFn: ({ signal }) => row.load(endpoint, signal),
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading what={`Loading the ${row.title.toLowerCase()}`} />
  return <Editor key={data.rego} {...{ row, endpoint, saved: data }} />
}

/** The first line that starts a rule of this name, or 0. */
const lineOf = (rego: string, rule: string): number =>
  rego.split('\n').findIndex((line) => line.split(/[^\w]/, 1)[0] === rule) + 1

/** The component that applies a text to past calls, loaded when it is drawn. */
async function replayOf(
  replay: NonNullable<PolicyRow<unknown>['replay']>,
): Promise<FunctionComponent<ReplayProps<unknown>>> {
  const part = await replay.load()
  return (props) => part.Replay(props)
}

interface EditorProps extends Omit<PolicyProps, 'id'> {
  readonly saved: PolicyText
}

function Editor({ row, endpoint, saved }: EditorProps) {
  const [rego, setRego] = useState(saved.rego)
  const [faults, setFaults] = useState<readonly RegoFault[]>([])
  const area = useRef<HTMLTextAreaElement>(null)
  /** shows errors of the text at their lines */
  const placing = async <T,>(sent: Promise<T>): Promise<T> => {
    try {
      const answer = await sent
      setFaults([])
      return answer
    } catch (error) {
      const found = regoFaults(error)
      setFaults(found)
      throw found.length === 0 ? error : new Error('The text has faults. Each is listed with its line.')
    }
  }
  const title = row.title.toLowerCase()
  const { replay } = row
  const tried = rego === saved.rego ? undefined : rego
  return (
    <>
      <div class="columns even">
        <section>
          <h2>{row.title}</h2>
          <p class="quiet">{row.about}</p>
          {saved.isDerived && (
            <p class="quiet">This text is made from the basic policy. Saving another text here takes its place.</p>
          )}
          <RegoEditor label={`${row.title} in Rego`} {...{ area, faults }} value={rego} set={setRego} />
          <CallForm
            fields={[]}
            call={() => row.save(endpoint, rego, saved)}
            run={(call: Call) => placing(send(call))}
            submit={`Save the ${title}`}
            done={() => tell(`The ${title} is saved. It decides from now on.`)}
          />
        </section>
        <Trial
          {...{ row, endpoint, placing }}
          rego={tried}
          show={(place) => {
            const line = typeof place === 'number' ? place : lineOf(rego, place)
            if (area.current !== null && line > 0) goTo(area.current, line)
          }}
        />
      </div>
      {replay !== undefined && <Later load={() => replayOf(replay)} {...{ endpoint, placing }} rego={tried} />}
    </>
  )
}
