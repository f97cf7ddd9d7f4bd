import { QueryClientProvider } from '@tanstack/preact-query'
import { LocationProvider } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { logInForm } from '../../web/log-in.ts'
import { queries, session, whenEnded } from '../service.ts'
import { Shell } from './shell.tsx'

type Phase = 'starting' | 'logged out' | 'logged in'

/**
 * The console: the log-in page, or the shell with a page. The address does not change, so a log-in continues on the
 * requested page.
 */
export function App() {
  const [phase, setPhase] = useState<Phase>('starting')
  const [why, setWhy] = useState('')
  useEffect(() => {
    whenEnded((reason) => {
      setWhy(reason)
      setPhase('logged out')
    })
    void session.resume().then((isOpen) => setPhase(isOpen ? 'logged in' : 'logged out'))
  }, [])
  if (phase === 'starting') return <p class="starting">Opening the console …</p>
  if (phase === 'logged out') return <LogIn why={why} done={() => setPhase('logged in')} />
  return (
    <QueryClientProvider client={queries}>
      <LocationProvider scope="/console">
        <Shell />
      </LocationProvider>
    </QueryClientProvider>
  )
}

function LogIn({ why, done }: { readonly why: string; readonly done: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    document.title = 'Log in · keymgr console'
    place.current?.replaceChildren(logInForm(session, done))
    place.current?.querySelector<HTMLInputElement>('[name=name]')?.focus()
  }, [])
  return (
    <main class="log-in-page">
      <h1>keymgr console</h1>
      <p role="status" class="notice">
        {why}
      </p>
      <div ref={place} />
    </main>
  )
}
