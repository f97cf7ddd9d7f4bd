import { useQuery } from '@tanstack/preact-query'
import { useId, useState } from 'preact/hooks'
import type { FieldRow, Values } from './fields.ts'
import { save } from './files.ts'

interface FieldProps {
  readonly field: FieldRow
  readonly values: Values
  readonly fault: string | undefined
  readonly set: (value: string) => void
}

/** A field with its label, its hint and its error. */
export function Field({ field, values, fault, set }: FieldProps) {
  const id = useId()
  const describedBy = [field.hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean)
  const shared = {
    id,
    name: field.name,
    required: field.isRequired === true,
    'aria-invalid': fault !== undefined,
    'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
  }
  return (
    <div class={`field ${field.kind ?? 'text'}`}>
      <label for={id}>
        {field.label}
        {field.isRequired !== true && field.kind !== 'flag' && <span class="quiet"> (optional)</span>}
      </label>
      <Control field={field} values={values} set={set} shared={shared} />
      {field.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {field.hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

interface ControlProps extends Pick<FieldProps, 'field' | 'values' | 'set'> {
  readonly shared: object
}

const INPUTS = { number: 'number', day: 'date', secret: 'password' } as const

function Control({ field, values, set, shared }: ControlProps) {
  const value = values[field.name] ?? ''
  if (field.choices !== undefined) return <Select field={field} values={values} set={set} shared={shared} />
  if (field.kind === 'flag')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === 'true'}
        onChange={(event) => set(event.currentTarget.checked ? 'true' : '')}
      />
    )
  if (field.kind === 'request') return <Request value={value} name={values.name ?? ''} set={set} shared={shared} />
  if (field.kind === 'file') return <SecretFile value={value} set={set} shared={shared} />
  if (field.kind === 'area' || field.kind === 'lines' || field.kind === 'json')
    return (
      <textarea
        {...shared}
        rows={4}
        spellcheck={false}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    )
  return (
    <input
      {...shared}
      type={field.kind !== undefined && field.kind in INPUTS ? INPUTS[field.kind as keyof typeof INPUTS] : 'text'}
      value={value}
      min={field.min}
      max={field.max}
      pattern={field.pattern}
      autocomplete={field.kind === 'secret' ? 'new-password' : 'off'}
      spellcheck={false}
      onInput={(event) => set(event.currentTarget.value)}
    />
  )
}

interface SecretFileProps {
  readonly value: string
  readonly set: (value: string) => void
  readonly shared: object
}

/** A secret of several lines, which is pasted or read from a file of the user. */
function SecretFile({ value, set, shared }: SecretFileProps) {
  const read = async (files: FileList | null): Promise<void> => {
    const text = await files?.[0]?.text()
    if (text !== undefined) set(text)
  }
  return (
    <>
      <textarea
        {...shared}
        class="masked"
        rows={3}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void read(event.dataTransfer?.files ?? null)
        }}
      />
      <input type="file" aria-label="Read it from a file" onChange={(event) => void read(event.currentTarget.files)} />
    </>
  )
}

interface RequestProps extends SecretFileProps {
  /** the name for which the certificate is requested */
  readonly name: string
}

/** A request for a certificate: pasted, or made here with a key that the browser saves. */
function Request({ value, name, set, shared }: RequestProps) {
  const [said, setSaid] = useState('')
  const make = async (): Promise<void> => {
    try {
      const { makeKeyRequest } = await import('./key-request.ts')
      const { key, request } = await makeKeyRequest(name)
      save({ name: `${name === '' ? 'client' : name}.key.pem`, type: 'application/x-pem-file', text: key })
      set(request)
      setSaid('The private key is saved as a file. It is not sent, and cannot be saved again.')
    } catch (error) {
      setSaid(`The browser cannot make a key here: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return (
    <>
      <textarea
        {...shared}
        rows={4}
        spellcheck={false}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <button type="button" onClick={() => void make()}>
        Make a key and its request here
      </button>
      <p class="quiet" role="status">
        {said}
      </p>
    </>
  )
}

let askers = 0
/** A number for each function that loads choices: fields of two forms may have the same name. */
const askerNumbers = new WeakMap<object, number>()
function askerNumber(ask: object): number {
  const number = askerNumbers.get(ask) ?? ++askers
  askerNumbers.set(ask, number)
  return number
}

/** The choices of a field, loaded if they are not constant. */
function useChoices({ choices = [], dependsOn = [] }: FieldRow, values: Values) {
  const ask = typeof choices === 'function' ? choices : undefined
  const asked = useQuery({
    queryKey: ['choices', ask && askerNumber(ask), ...dependsOn.map((name) => values[name] ?? '')],
    queryFn: () => ask?.(values) ?? [],
    enabled: ask !== undefined,
  })
  return { ...asked, data: typeof choices === 'function' ? (asked.data ?? []) : choices }
}

function Select({ field, values, set, shared }: ControlProps) {
  const { data, isFetching, error } = useChoices(field, values)
  const none = field.isRequired === true ? 'Choose' : 'Not set'
  return (
    <select {...shared} value={values[field.name] ?? ''} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">{isFetching ? 'Loading …' : error === null ? none : `Not known: ${error.message}`}</option>
      {data.map(({ value, label = value }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
