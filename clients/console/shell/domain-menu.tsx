import { useQuery } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { keymgr } from '../service.ts'
import type { ChangeDomainProps } from './change-domain.tsx'
import { closesOutside } from './disclosure.ts'

type Dialog = FunctionComponent<ChangeDomainProps>
const loadDialog = async (): Promise<Dialog> => (await import('./change-domain.tsx')).default

/** The domain of the session, and the others that the user can log in to; nothing where there is one only. */
export function DomainMenu() {
  const menu = useRef<HTMLDetailsElement>(null)
  const [asked, setAsked] = useState<{ readonly Dialog: Dialog; readonly domain: string }>()
  const own = useQuery({
    queryKey: ['own-domains'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/domains', { query: { limit: 100 }, signal }),
    staleTime: Infinity,
  })
  const domains = own.data?.resources ?? []
  const isChoice = domains.length > 1
  const { data: here } = useQuery({
    queryKey: ['own-domain'],
    queryFn: ({ signal }) => keymgr.get('/v1/domain', { signal }),
    staleTime: Infinity,
    enabled: isChoice,
  })
  useEffect(() => closesOutside(menu.current), [isChoice, here])
  if (!isChoice || here === undefined) return null
  const choose = async (domain: string): Promise<void> => {
    setAsked({ Dialog: await loadDialog(), domain })
    if (menu.current !== null) menu.current.open = false
  }
  return (
    <>
      <details class="user domain" ref={menu}>
        <summary>
          <span class="unseen">Domain </span>
          {here.name}
        </summary>
        <div class="sheet">
          {domains.map(({ id, name }) =>
            id === here.id ? null : (
              <button key={id} type="button" onClick={() => void choose(name)}>
                Change to {name}
              </button>
            ),
          )}
        </div>
      </details>
      {asked !== undefined && <asked.Dialog {...asked} from={here.name} close={() => setAsked(undefined)} />}
    </>
  )
}
