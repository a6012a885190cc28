import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { codeInHash } from "./api/sign-in";

// A code is not left in the address, where it would be seen and kept in the history.
const code = codeInHash(location.hash);
if (code !== undefined) history.replaceState(null, "", location.pathname);

const element = document.getElementById("app");
if (element) mount(App, { target: element, props: { code } });
