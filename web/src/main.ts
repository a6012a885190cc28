import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";

const element = document.getElementById("app");
if (element) mount(App, { target: element });
